package api_test

import (
	"context"
	"testing"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/api"
	"fledge.dev/services/releases/internal/store"
)

// TestEveryChangeByAnAdminIsRecorded has a row for each method of theirs.
func TestEveryChangeByAnAdminIsRecorded(t *testing.T) {
	r := newRig(t)
	r.offer(t, zipped(2, "2.0.0"))
	r.github.set(nil, made(1, "1.0.0", "Fledge.dmg"), zipped(2, "2.0.0"))
	r.list(t)
	link, err := r.client.CreatePreviewLink(r.admin, &releasesv1.CreatePreviewLinkRequest{ReleaseId: 1, Version: "1.0.0", Days: 7})
	errtest.None(t, err)
	audittest.Methods(t, api.Policy(), r.pool, map[string]audittest.Call{
		"SetAvailability": {Action: store.AvailabilityChanged, Do: func(ctx context.Context) error {
			_, err := r.server.SetAvailability(ctx, &releasesv1.SetAvailabilityRequest{ReleaseId: 1, Version: "1.0.0", IsAvailable: true})
			return err
		}},
		"SetRollout": {Action: store.RolloutChanged, Do: func(ctx context.Context) error {
			_, err := r.server.SetRollout(ctx, &releasesv1.SetRolloutRequest{ReleaseId: 1, Version: "1.0.0", Percentage: 25})
			return err
		}},
		"SetChannel": {Action: store.ChannelChanged, Do: func(ctx context.Context) error {
			_, err := r.server.SetChannel(ctx, &releasesv1.SetChannelRequest{ReleaseId: 2, Version: "2.0.0", Channel: releasesv1.Channel_CHANNEL_BETA})
			return err
		}},
		"SetRequired": {Action: store.RequirementChanged, Do: func(ctx context.Context) error {
			_, err := r.server.SetRequired(ctx, &releasesv1.SetRequiredRequest{ReleaseId: 2, Version: "2.0.0", IsRequired: true})
			return err
		}},
		"CreatePreviewLink": {Action: store.PreviewLinkCreated, Do: func(ctx context.Context) error {
			_, err := r.server.CreatePreviewLink(ctx, &releasesv1.CreatePreviewLinkRequest{ReleaseId: 1, Version: "1.0.0", Days: 7})
			return err
		}},
		"RevokePreviewLink": {Action: store.PreviewLinkRevoked, Do: func(ctx context.Context) error {
			_, err := r.server.RevokePreviewLink(ctx, &releasesv1.RevokePreviewLinkRequest{LinkId: link.GetLink().GetId()})
			return err
		}},
		"SetUserChannel": {Action: store.UserChannelChanged, Do: func(ctx context.Context) error {
			_, err := r.server.SetUserChannel(ctx, &releasesv1.SetUserChannelRequest{UserId: audittest.Staff.UserID, Channel: releasesv1.Channel_CHANNEL_BETA, Reason: "helps us test"})
			return err
		}},
		"ListReleases": audittest.Reads, "GetUserChannel": audittest.Reads, "ListPreviewLinks": audittest.Reads, "GetDownloadStats": audittest.Reads, "GetStats": audittest.Reads, "ExplainUpdate": audittest.Reads, "GetUsage": audittest.Reads,
	})
}
