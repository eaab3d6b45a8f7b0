package api

import (
	"context"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/release"
)

var (
	errBadRelease = fault.New(fault.Invalid, "invalid_release", "Name a release by its id and version.")
	errBadRollout = fault.New(fault.Invalid, "invalid_percentage", "A rollout is a whole number from 0 to 100.")
)

// SetAvailability offers a release or takes it back.
func (s *Server) SetAvailability(ctx context.Context, req *releasesv1.SetAvailabilityRequest) (*releasesv1.SetAvailabilityResponse, error) {
	version, ok := release.ParseTag(req.GetVersion())
	if !ok || req.GetReleaseId() <= 0 {
		return nil, errBadRelease
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
	version, ok := release.ParseTag(req.GetVersion())
	if !ok || req.GetReleaseId() <= 0 {
		return nil, errBadRelease
	}
	if req.GetPercentage() < 0 || req.GetPercentage() > 100 {
		return nil, errBadRollout
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	r, changed, err := s.parts.Store.SetRollout(ctx, req.GetReleaseId(), version, int(req.GetPercentage()))
	if err != nil {
		return nil, err
	}
	if changed {
		s.parts.Changed()
		admin, _ := authn.FromContext(ctx)
		s.parts.Log.InfoContext(ctx, "rollout changed", "version", r.Version, "percentage", r.Rollout, "by", admin.UserID)
	}
	return &releasesv1.SetRolloutResponse{Release: encode(r)}, nil
}
