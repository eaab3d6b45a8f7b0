package api_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

func TestTheVersionsInUse(t *testing.T) {
	r := newRig(t)
	r.offer(t, zipped(1, "1.0.0"))
	stable, beta := releasesv1.Channel_CHANNEL_STABLE, releasesv1.Channel_CHANNEL_BETA
	_, err := r.gateway.CountUpdateChecks(t.Context(), &releasesv1.CountUpdateChecksRequest{Checks: []*releasesv1.UpdateChecks{
		{Channel: stable, Version: "1.0.0", Arch: "arm64", MacosVersion: "14.5", Count: 2},
		{Channel: stable, Version: "1.0.0", Arch: "arm64", MacosVersion: "14.6", Count: 1},
		{Channel: beta, Version: "6.6.6", Arch: "x64", Count: 4},
	}})
	errtest.None(t, err)
	got, err := r.client.GetUsage(r.admin, &releasesv1.GetUsageRequest{Days: 2})
	want := &releasesv1.GetUsageResponse{
		Days:     []*releasesv1.UsageDay{{Day: "2026-11-19"}, {Day: "2026-11-20", Versions: []*releasesv1.Share{{Name: "1.0.0", Total: 3}, {Name: "other", Total: 4}}}},
		Archs:    []*releasesv1.Share{{Name: "x64", Total: 4}, {Name: "arm64", Total: 3}},
		Systems:  []*releasesv1.Share{{Name: "other", Total: 4}, {Name: "14", Total: 3}},
		Channels: []*releasesv1.Share{{Name: "beta", Total: 4}, {Name: "stable", Total: 3}},
	}
	if err != nil || !proto.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for name, checks := range map[string][]*releasesv1.UpdateChecks{
		"none": nil, "too many": make([]*releasesv1.UpdateChecks, 1001), "no channel": {{Count: 1}}, "another channel": {{Channel: 7, Count: 1}},
		"no count": {{Channel: stable}}, "a negative count": {{Channel: stable, Count: -1}}, "a huge count": {{Channel: stable, Count: 1_000_001}},
	} {
		if _, err := r.gateway.CountUpdateChecks(t.Context(), &releasesv1.CountUpdateChecksRequest{Checks: checks}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, days := range []int32{-1, 91} {
		if _, err := r.client.GetUsage(r.admin, &releasesv1.GetUsageRequest{Days: days}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%d days: %v", days, err)
		}
	}
	if n := r.query(`SELECT sum(count) FROM update_checks`); n != 7 {
		t.Errorf("counted %d", n)
	}
}
