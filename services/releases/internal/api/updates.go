package api

import (
	"context"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/release"
)

const (
	// maxNotes bounds what an app is told about the releases that it has missed.
	maxNotes = 20
	// maxStagingID is more than the UUID that an app makes up has.
	maxStagingID = 64
)

const badChannel = "The channel must be stable, beta or alpha."

const badVersion = "The version of the app is not a semantic version."

var errBadVersion = fault.New(fault.Invalid, "invalid_version", badVersion).Field("installed_version", badVersion)

// aboutApp is a request that says what an app says of itself.
type aboutApp interface {
	GetStagingId() string
	GetArch() releasesv1.Arch
	GetChannel() releasesv1.Channel
	GetInstalledVersion() string
}

func decodeApp(req aboutApp) (release.App, error) {
	app := release.App{StagingID: req.GetStagingId(), Channel: release.Channel(enum.Name(req.GetChannel()))}
	if utf8.RuneCountInString(app.StagingID) > maxStagingID {
		return release.App{}, fault.InvalidField("staging_id", "The staging id must have at most 64 characters.")
	}
	if app.Channel == "" && req.GetChannel() != 0 {
		return release.App{}, fault.InvalidField("channel", badChannel)
	}
	if app.Arch = release.Arch(enum.Name(req.GetArch())); app.Arch == "" && req.GetArch() != 0 {
		return release.App{}, fault.InvalidField("arch", "The architecture must be arm64 or x64.")
	}
	if req.GetInstalledVersion() != "" {
		version, ok := release.ParseTag(req.GetInstalledVersion())
		if !ok {
			return release.App{}, errBadVersion
		}
		app.Installed = version
	}
	return app, nil
}

// GetUpdate returns what one installed app is offered.
func (s *Server) GetUpdate(ctx context.Context, req *releasesv1.GetUpdateRequest) (*releasesv1.GetUpdateResponse, error) {
	app, err := decodeApp(req)
	if err != nil {
		return nil, err
	}
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	update, ok := release.UpdateFor(releases, app)
	s.updates.WithLabelValues(outcomeOf(ok)).Inc()
	if !ok {
		return &releasesv1.GetUpdateResponse{}, nil
	}
	resp := &releasesv1.GetUpdateResponse{Update: encodeUpdate(update, release.Minimum(releases, app.Channel, app.Arch))}
	if app.Installed != "" {
		resp.Notes = notesOf(releases, app.Channel, func(v release.Version) bool {
			return v.Compare(app.Installed) > 0 && v.Compare(update.Release.Version) <= 0
		})
	}
	return resp, nil
}

// ListUpdates returns what all the installed apps of a channel are offered.
func (s *Server) ListUpdates(ctx context.Context, req *releasesv1.ListUpdatesRequest) (*releasesv1.ListUpdatesResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	resp := &releasesv1.ListUpdatesResponse{}
	channel := release.Channel(enum.Name(req.GetChannel()))
	minimum := release.Minimum(releases, channel, "")
	for _, step := range release.Steps(releases, channel) {
		resp.Updates = append(resp.Updates, &releasesv1.ReachingUpdate{Update: encodeUpdate(step.Update, minimum), Reach: step.Reach})
	}
	resp.Notes = notesOf(releases, channel, func(release.Version) bool { return true })
	return resp, nil
}

// notesOf are the notes of the newest releases that are offered on the channel, have notes, and are among those asked for.
func notesOf(releases []release.Release, c release.Channel, among func(release.Version) bool) (notes []*releasesv1.ReleaseNotes) {
	for _, r := range releases {
		if r.OfferedOn(c) && r.Notes != "" && among(r.Version) && len(notes) < maxNotes {
			notes = append(notes, &releasesv1.ReleaseNotes{Version: string(r.Version), Notes: r.Notes})
		}
	}
	return notes
}

func outcomeOf(offered bool) string {
	if offered {
		return "offered"
	}
	return "none"
}

func encodeUpdate(u release.Update, minimum release.Version) *releasesv1.Update {
	out := &releasesv1.Update{
		Version: string(u.Release.Version), Name: u.Release.Name, Notes: u.Release.Notes, PublishedAt: timestamppb.New(u.Release.PublishedAt),
		MinimumVersion: string(minimum),
	}
	for _, f := range u.Files {
		out.Files = append(out.Files, &releasesv1.UpdateFile{Filename: f.Name, Size: f.Size, Sha512: f.SHA512})
	}
	return out
}

// ExplainUpdate says what one installed app is offered by the feeds, and why.
func (s *Server) ExplainUpdate(ctx context.Context, req *releasesv1.ExplainUpdateRequest) (*releasesv1.ExplainUpdateResponse, error) {
	app, err := decodeApp(req)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	releases, err := s.parts.Store.Releases(ctx)
	if err != nil {
		return nil, err
	}
	e := release.Explain(releases, app)
	return &releasesv1.ExplainUpdateResponse{Version: string(e.Offered), Sentences: e.Sentences}, nil
}
