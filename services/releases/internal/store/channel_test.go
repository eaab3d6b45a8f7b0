package store_test

import (
	"testing"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/releases/internal/release"
)

// TestTheChosenChannelStaysWhateverGitHubSays, until it is GitHub's again.
func TestTheChosenChannelStaysWhateverGitHubSays(t *testing.T) {
	s, pool := open(t)
	ctx := audittest.As(t.Context())
	unmarked, marked := made(1, "1.0.0", "a.zip"), made(1, "1.0.0", "a.zip")
	marked.Prerelease = true
	apply(t, s, true, marked)
	if _, _, err := s.SetAvailability(ctx, 1, "1.0.0", true); err != nil {
		t.Fatal(err)
	}
	set := func(channel release.Channel, changes bool) {
		t.Helper()
		if r, changed, err := s.SetChannel(ctx, 1, "1.0.0", channel); err != nil || changed != changes || r.Chosen != channel {
			t.Fatalf("%q: %+v, %t, %v", channel, r, changed, err)
		}
	}
	is := func(channel release.Channel, promoted bool) {
		t.Helper()
		releases, err := s.Releases(ctx)
		if r := one(t, releases, err); r.Channel() != channel || !r.Available || (r.PromotedAt != nil) != promoted {
			t.Fatalf("on %s, available %t, promoted at %v; want %s, %t", r.Channel(), r.Available, r.PromotedAt, channel, promoted)
		}
	}
	is(release.Beta, false)
	set(release.Alpha, true)
	set(release.Alpha, false)
	apply(t, s, true, unmarked)
	is(release.Alpha, false)
	set(release.Stable, true)
	apply(t, s, true, marked)
	is(release.Stable, false)
	set("", true)
	is(release.Beta, false)
	apply(t, s, true, unmarked) // which nobody has decided on
	is(release.Beta, true)
	if n := records(t, pool); n != 4 {
		t.Errorf("%d records of four changes", n)
	}
}

// TestAnotherChannelRequiresNothing of the apps that it has.
func TestAnotherChannelRequiresNothing(t *testing.T) {
	s, pool := open(t)
	ctx := audittest.As(t.Context())
	apply(t, s, true, made(1, "1.0.0"))
	if _, err := pool.Exec(ctx, "UPDATE releases SET is_required = true"); err != nil {
		t.Fatal(err)
	}
	if r, changed, err := s.SetChannel(ctx, 1, "1.0.0", release.Beta); err != nil || !changed || r.Required || r.Channel() != release.Beta {
		t.Errorf("%+v, %t, %v", r, changed, err)
	}
}
