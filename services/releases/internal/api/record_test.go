package api_test

import (
	"context"
	"testing"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/releases/internal/api"
	"fledge.dev/services/releases/internal/store"
)

// TestEveryChangeByAnAdminIsRecorded has a row for each method of theirs.
func TestEveryChangeByAnAdminIsRecorded(t *testing.T) {
	r := newRig(t)
	r.offer(t, zipped(2, "2.0.0"))
	r.github.set(nil, made(1, "1.0.0"), zipped(2, "2.0.0"))
	r.list(t)
	audittest.Methods(t, api.Policy(), r.pool, map[string]audittest.Call{
		"SetAvailability": {Action: store.AvailabilityChanged, Do: func(ctx context.Context) error {
			_, err := r.server.SetAvailability(ctx, &releasesv1.SetAvailabilityRequest{ReleaseId: 1, Version: "1.0.0", IsAvailable: true})
			return err
		}},
		"SetRollout": {Action: store.RolloutChanged, Do: func(ctx context.Context) error {
			_, err := r.server.SetRollout(ctx, &releasesv1.SetRolloutRequest{ReleaseId: 1, Version: "1.0.0", Percentage: 25})
			return err
		}},
		"SetRequired": {Action: store.RequirementChanged, Do: func(ctx context.Context) error {
			_, err := r.server.SetRequired(ctx, &releasesv1.SetRequiredRequest{ReleaseId: 2, Version: "2.0.0", IsRequired: true})
			return err
		}},
		"ListReleases": audittest.Reads, "GetDownloadStats": audittest.Reads, "GetStats": audittest.Reads, "ExplainUpdate": audittest.Reads, "GetUsage": audittest.Reads,
	})
}
