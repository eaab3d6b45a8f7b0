package api

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/release"
)

var errBadVersion = fault.New(fault.Invalid, "invalid_version", "The version of the app is not a semantic version.")

// GetUpdate returns what one installed app is offered.
func (s *Server) GetUpdate(ctx context.Context, req *releasesv1.GetUpdateRequest) (*releasesv1.GetUpdateResponse, error) {
	app := release.App{StagingID: req.GetStagingId(), Channel: release.Channel(enum.Name(req.GetChannel()))}
	if app.Channel == "" && req.GetChannel() != 0 {
		return nil, invalidField("channel", "The channel must be stable, beta or alpha.")
	}
	if req.GetInstalledVersion() != "" {
		version, ok := release.ParseTag(req.GetInstalledVersion())
		if !ok {
			return nil, errBadVersion
		}
		app.Installed = version
	}
	app.Arch = release.Arch(enum.Name(req.GetArch()))
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	update, ok := release.UpdateFor(releases, app)
	s.updates.WithLabelValues(outcomeOf(ok)).Inc()
	if !ok {
		return &releasesv1.GetUpdateResponse{}, nil
	}
	return &releasesv1.GetUpdateResponse{Update: encodeUpdate(update)}, nil
}

// ListUpdates returns what all the installed apps of a channel are offered.
func (s *Server) ListUpdates(ctx context.Context, req *releasesv1.ListUpdatesRequest) (*releasesv1.ListUpdatesResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	resp := &releasesv1.ListUpdatesResponse{}
	for _, step := range release.Steps(releases, release.Channel(enum.Name(req.GetChannel()))) {
		resp.Updates = append(resp.Updates, &releasesv1.ReachingUpdate{Update: encodeUpdate(step.Update), Reach: step.Reach})
	}
	return resp, nil
}

func outcomeOf(offered bool) string {
	if offered {
		return "offered"
	}
	return "none"
}

func encodeUpdate(u release.Update) *releasesv1.Update {
	out := &releasesv1.Update{
		Version: string(u.Release.Version), Name: u.Release.Name, Notes: u.Release.Notes, PublishedAt: timestamppb.New(u.Release.PublishedAt),
	}
	for _, f := range u.Files {
		out.Files = append(out.Files, &releasesv1.UpdateFile{Filename: f.Name, Size: f.Size, Sha512: f.SHA512})
	}
	return out
}
