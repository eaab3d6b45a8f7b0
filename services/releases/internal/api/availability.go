package api

import (
	"context"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/release"
)

// decodeRelease reads how a release is named.
func decodeRelease(id int64, tag string) (release.Version, error) {
	if id <= 0 {
		return "", fault.InvalidField("release_id", "The release id must be that of a release.")
	}
	version, ok := release.ParseTag(tag)
	if !ok {
		return "", fault.InvalidField("version", "The version must be a semantic version.")
	}
	return version, nil
}

// SetAvailability offers a release or takes it back.
func (s *Server) SetAvailability(ctx context.Context, req *releasesv1.SetAvailabilityRequest) (*releasesv1.SetAvailabilityResponse, error) {
	version, err := decodeRelease(req.GetReleaseId(), req.GetVersion())
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	r, changed, err := s.parts.Store.SetAvailability(ctx, req.GetReleaseId(), version, req.GetIsAvailable())
	if err != nil {
		return nil, err
	}
	if changed {
		s.parts.Changed()
		admin, _ := authn.FromContext(ctx)
		s.parts.Log.InfoContext(ctx, "availability changed", "version", r.Version, "available", r.Available, "by", admin.UserID)
	}
	return &releasesv1.SetAvailabilityResponse{Release: encode(r)}, nil
}

// SetRollout says which part of the installed apps a release is offered to.
func (s *Server) SetRollout(ctx context.Context, req *releasesv1.SetRolloutRequest) (*releasesv1.SetRolloutResponse, error) {
	version, err := decodeRelease(req.GetReleaseId(), req.GetVersion())
	if err != nil {
		return nil, err
	}
	if req.GetPercentage() < 0 || req.GetPercentage() > 100 {
		return nil, fault.InvalidField("percentage", "The percentage must be a whole number from 0 to 100.")
	}
	if req.GetRises() && req.GetPercentage() != 0 {
		return nil, fault.InvalidField("percentage", "A rollout that rises by itself has no percentage of its own.")
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	var r release.Release
	var changed bool
	if req.GetRises() {
		r, changed, err = s.parts.Store.RaiseRollout(ctx, req.GetReleaseId(), version)
	} else {
		r, changed, err = s.parts.Store.SetRollout(ctx, req.GetReleaseId(), version, int(req.GetPercentage()))
	}
	if err != nil {
		return nil, err
	}
	if changed {
		s.parts.Changed()
		admin, _ := authn.FromContext(ctx)
		s.parts.Log.InfoContext(ctx, "rollout changed", "version", r.Version, "percentage", r.Rollout.Percentage, "rises", r.Rollout.Rises(), "by", admin.UserID)
	}
	return &releasesv1.SetRolloutResponse{Release: encode(r)}, nil
}

// SetChannel chooses the channel of a release.
func (s *Server) SetChannel(ctx context.Context, req *releasesv1.SetChannelRequest) (*releasesv1.SetChannelResponse, error) {
	version, err := decodeRelease(req.GetReleaseId(), req.GetVersion())
	if err != nil {
		return nil, err
	}
	channel := release.Channel(enum.Name(req.GetChannel()))
	if channel == "" && req.GetChannel() != 0 {
		return nil, fault.InvalidField("channel", badChannel)
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	r, changed, err := s.parts.Store.SetChannel(ctx, req.GetReleaseId(), version, channel)
	if err != nil {
		return nil, err
	}
	if changed {
		s.parts.Changed()
		admin, _ := authn.FromContext(ctx)
		s.parts.Log.InfoContext(ctx, "channel changed", "version", r.Version, "channel", r.Channel(), "by", admin.UserID)
	}
	return &releasesv1.SetChannelResponse{Release: encode(r)}, nil
}

// SetRequired says whether apps that are older than a release have to update.
func (s *Server) SetRequired(ctx context.Context, req *releasesv1.SetRequiredRequest) (*releasesv1.SetRequiredResponse, error) {
	version, err := decodeRelease(req.GetReleaseId(), req.GetVersion())
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	r, changed, err := s.parts.Store.SetRequired(ctx, req.GetReleaseId(), version, req.GetIsRequired())
	if err != nil {
		return nil, err
	}
	if changed {
		s.parts.Changed()
		admin, _ := authn.FromContext(ctx)
		s.parts.Log.InfoContext(ctx, "requirement changed", "version", r.Version, "required", r.Required, "by", admin.UserID)
	}
	return &releasesv1.SetRequiredResponse{Release: encode(r)}, nil
}
