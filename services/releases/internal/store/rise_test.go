package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store"
)

func TestARolloutRisesUntilItIsSet(t *testing.T) {
	s, pool := open(t)
	apply(t, s, true, made(1, "1.0.0"))
	as := audittest.As(t.Context())
	if _, _, err := s.SetAvailability(as, 1, "1.0.0", true); err != nil {
		t.Fatal(err)
	}
	r, changed, err := s.RaiseRollout(as, 1, "1.0.0")
	if err != nil || !changed || r.Rollout.Percentage != 1 || r.Rollout.Next != 5 {
		t.Fatalf("%+v, %t, %v", r.Rollout, changed, err)
	}
	rise(t, pool, 1)
	if r, changed, err = s.RaiseRollout(as, 1, "1.0.0"); err != nil || changed || r.Rollout.Percentage != 5 {
		t.Fatalf("asked again: %+v, %t, %v", r.Rollout, changed, err)
	}
	if at := time.Until(r.Rollout.NextAt); r.Rollout.Next != 25 || at < 23*time.Hour || at > 24*time.Hour+time.Second {
		t.Errorf("then %d %% in %s", r.Rollout.Next, at)
	}
	// The percentage that it has stops it, too.
	if r, changed, err = s.SetRollout(as, 1, "1.0.0", 5); err != nil || !changed || r.Rollout != (release.Rollout{Percentage: 5}) {
		t.Errorf("stopped: %+v, %t, %v", r.Rollout, changed, err)
	}
	if n := records(t, pool); n != 3 {
		t.Errorf("%d records of three changes", n)
	}
}

// TestARolloutRisesWhileItIsOffered: time in which no app could get the release is no proof of it.
func TestARolloutRisesWhileItIsOffered(t *testing.T) {
	enable := func(ctx context.Context, t *testing.T, s *store.Store, available bool) {
		t.Helper()
		if _, changed, err := s.SetAvailability(ctx, 1, "1.0.0", available); err != nil || !changed {
			t.Fatal(changed, err)
		}
	}
	replaced := made(1, "1.0.0", "a.zip")
	replaced.Assets[0].GitHubID, replaced.Assets[0].Digest = 999, "sha256:ff"
	for name, away := range map[string]func(ctx context.Context, t *testing.T, s *store.Store, days func(int)){
		"disabled from the beginning": func(ctx context.Context, t *testing.T, s *store.Store, days func(int)) {
			enable(ctx, t, s, false)
			if _, _, err := s.SetRollout(ctx, 1, "1.0.0", 1); err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.RaiseRollout(ctx, 1, "1.0.0"); err != nil {
				t.Fatal(err)
			}
			days(3)
			enable(ctx, t, s, true)
		},
		"disabled by hand": func(ctx context.Context, t *testing.T, s *store.Store, days func(int)) {
			enable(ctx, t, s, false)
			days(3)
			enable(ctx, t, s, true)
		},
		"other files": func(ctx context.Context, t *testing.T, s *store.Store, days func(int)) {
			apply(t, s, true, replaced)
			days(3)
			enable(ctx, t, s, true)
		},
		"away on GitHub": func(_ context.Context, t *testing.T, s *store.Store, days func(int)) {
			apply(t, s, true)
			days(3)
			apply(t, s, true, made(1, "1.0.0", "a.zip"))
		},
		"checksums that were missing": func(ctx context.Context, t *testing.T, s *store.Store, days func(int)) {
			days(3)
			if err := s.PutChecksums(ctx, "1.0.0", map[int64]string{100: sum}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, pool := open(t)
			ctx := audittest.As(t.Context())
			apply(t, s, true, made(1, "1.0.0", "a.zip"))
			enable(ctx, t, s, true)
			if _, _, err := s.RaiseRollout(ctx, 1, "1.0.0"); err != nil {
				t.Fatal(err)
			}
			away(ctx, t, s, func(n int) { rise(t, pool, n) })
			releases, err := s.Releases(ctx)
			if r := one(t, releases, err); !r.Available || r.Rollout.Percentage != release.FirstStep {
				t.Errorf("available %t, offered to %d %%", r.Available, r.Rollout.Percentage)
			}
			rise(t, pool, 1)
			releases, err = s.Releases(ctx)
			if r := one(t, releases, err); r.Rollout.Percentage != 5 {
				t.Errorf("a day later offered to %d %%", r.Rollout.Percentage)
			}
		})
	}
}

// rise lets days pass for rollouts that rise.
func rise(t *testing.T, pool *pgxpool.Pool, days int) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), "UPDATE releases SET ramp_started_at = ramp_started_at - make_interval(days => $1)", days); err != nil {
		t.Fatal(err)
	}
}

// TestAPrereleaseThatIsNoneAnyMoreNeedsAnotherDecision: it was made available to those on its channel.
func TestAPrereleaseThatIsNoneAnyMoreNeedsAnotherDecision(t *testing.T) {
	s, _ := open(t)
	ctx := audittest.As(t.Context())
	marked, unmarked := made(1, "1.0.0", "a.zip"), made(1, "1.0.0", "a.zip")
	marked.Prerelease = true
	apply(t, s, true, marked)
	if _, _, err := s.SetAvailability(ctx, 1, "1.0.0", true); err != nil {
		t.Fatal(err)
	}
	for _, seen := range []struct {
		release   release.Release
		withdrawn bool
	}{{marked, false}, {unmarked, true}, {unmarked, true}} {
		apply(t, s, true, seen.release)
		releases, err := s.Releases(ctx)
		if r := one(t, releases, err); r.Available == seen.withdrawn || (r.PromotedAt != nil) != seen.withdrawn || r.ReplacedAt != nil {
			t.Fatalf("available %t, promoted at %v, replaced at %v; want it withdrawn: %t", r.Available, r.PromotedAt, r.ReplacedAt, seen.withdrawn)
		}
	}
	if _, _, err := s.SetAvailability(ctx, 1, "1.0.0", true); err != nil {
		t.Fatal(err)
	}
	apply(t, s, true, unmarked)
	apply(t, s, true, marked) // fewer apps get it, which needs no decision
	releases, err := s.Releases(ctx)
	if r := one(t, releases, err); !r.Available || r.PromotedAt != nil || r.Channel() != release.Beta {
		t.Errorf("enabled and marked again: %+v", r)
	}
}
