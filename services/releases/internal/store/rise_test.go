package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/mirror"
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
	replaced := made(1, "1.0.0", "a-universal.zip")
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
			apply(t, s, true, made(1, "1.0.0", "a-universal.zip"))
		},
		"checksums that were missing": func(ctx context.Context, t *testing.T, s *store.Store, days func(int)) {
			days(3)
			apply(t, s, true, made(1, "1.0.0", "a-universal.zip"))
			errtest.None(t, s.PutChecksums(ctx, "1.0.0", map[int64]string{100: sum}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, pool := open(t)
			ctx := audittest.As(t.Context())
			apply(t, s, true, made(1, "1.0.0", "a-universal.zip"))
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

// TestWhatAppsHadRisesOn: neither the end of a rise is taken back, nor a rise by an archive that no app
// waits for.
func TestWhatAppsHadRisesOn(t *testing.T) {
	file := made(1, "1.0.0", "a-universal.zip")
	again := made(1, "1.0.0", "a-universal.zip")
	again.Assets[0].GitHubID = 150
	for name, tc := range map[string]struct {
		days, want int
		happens    func(ctx context.Context, t *testing.T, s *store.Store)
	}{
		"a draft for one sync": {3, 100, func(_ context.Context, t *testing.T, s *store.Store) {
			apply(t, s, true)
			apply(t, s, true, file)
		}},
		"the same bytes again": {3, 100, func(ctx context.Context, t *testing.T, s *store.Store) {
			apply(t, s, true, again)
			errtest.None(t, s.PutChecksums(ctx, "1.0.0", map[int64]string{150: sum}))
		}},
		"disabled and enabled": {3, 100, func(ctx context.Context, t *testing.T, s *store.Store) {
			for _, on := range []bool{false, true} {
				if _, changed, err := s.SetAvailability(ctx, 1, "1.0.0", on); err != nil || !changed {
					t.Fatal(changed, err)
				}
			}
		}},
		"an archive that is not chosen": {1, 5, func(ctx context.Context, t *testing.T, s *store.Store) {
			apply(t, s, true, made(1, "1.0.0", "a-universal.zip", "a.zip"))
			errtest.None(t, s.PutChecksums(ctx, "1.0.0", map[int64]string{101: sum}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, pool := open(t)
			ctx := audittest.As(t.Context())
			apply(t, s, true, file)
			if _, _, err := s.SetAvailability(ctx, 1, "1.0.0", true); err != nil {
				t.Fatal(err)
			}
			errtest.None(t, s.PutChecksums(ctx, "1.0.0", map[int64]string{100: sum}))
			if _, _, err := s.RaiseRollout(ctx, 1, "1.0.0"); err != nil {
				t.Fatal(err)
			}
			rise(t, pool, tc.days)
			tc.happens(ctx, t, s)
			releases, err := s.Releases(ctx)
			if r := one(t, releases, err); !r.Available || r.UpdateProblem() != "" || r.Rollout.Percentage != tc.want {
				t.Errorf("available %t, %q, offered to %d %%; want %d %%", r.Available, r.UpdateProblem(), r.Rollout.Percentage, tc.want)
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

// TestAPrereleaseThatIsNoneAnyMoreStaysOnItsChannel until staff choose one: they made it available to the
// apps on it, which lose nothing, and to no others.
func TestAPrereleaseThatIsNoneAnyMoreStaysOnItsChannel(t *testing.T) {
	s, pool := open(t)
	ctx := audittest.As(t.Context())
	marked, unmarked := made(1, "1.0.0", "a.zip"), made(1, "1.0.0", "a.zip")
	marked.Prerelease = true
	apply(t, s, true, marked)
	if _, _, err := s.SetAvailability(ctx, 1, "1.0.0", true); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, "UPDATE releases SET is_required = true"); err != nil {
		t.Fatal(err)
	}
	is := func(channel, chosen release.Channel, promoted bool) {
		t.Helper()
		releases, err := s.Releases(ctx)
		if r := one(t, releases, err); !r.Available || r.Channel() != channel || r.Chosen != chosen || (r.PromotedAt != nil) != promoted || r.ReplacedAt != nil {
			t.Fatalf("want it on %q, chosen %q, promoted %t: %+v", channel, chosen, promoted, r)
		}
	}
	is(release.Beta, "", false)
	for range 2 {
		apply(t, s, true, unmarked)
		is(release.Beta, release.Beta, true)
	}
	releases, err := s.Releases(ctx)
	if r := one(t, releases, err); !r.Required {
		t.Error("it is not required any more")
	}
	apply(t, s, true, marked) // a prerelease again, which is offered to the same apps
	is(release.Beta, "", false)
	apply(t, s, true, unmarked)
	for _, available := range []bool{false, true} { // which says nothing of its channel
		if _, _, err := s.SetAvailability(ctx, 1, "1.0.0", available); err != nil {
			t.Fatal(err)
		}
	}
	is(release.Beta, release.Beta, true)
	if _, _, err := s.SetChannel(ctx, 1, "1.0.0", ""); err != nil {
		t.Fatal(err)
	}
	apply(t, s, true, unmarked)
	is(release.Stable, "", false)
}

// TestEveryReasonForADecisionIsTold, of which two may meet in one sync.
func TestEveryReasonForADecisionIsTold(t *testing.T) {
	s, _ := open(t)
	marked, unmarked := made(1, "1.0.0", "a.zip"), made(1, "1.0.0", "a.zip")
	marked.Prerelease, unmarked.Assets[0].GitHubID, unmarked.Assets[0].Digest = true, 150, "sha256:ff"
	apply(t, s, true, marked)
	if _, _, err := s.SetAvailability(audittest.As(t.Context()), 1, "1.0.0", true); err != nil {
		t.Fatal(err)
	}
	undecided, err := s.Apply(t.Context(), mirror.Run{Repository: repository}, mirror.Listing{Releases: []release.Release{unmarked}, Complete: true}, false)
	if err != nil || len(undecided.Replaced) != 1 || len(undecided.Promoted) != 1 {
		t.Errorf("undecided %+v, %v", undecided, err)
	}
	releases, err := s.Releases(t.Context())
	if r := one(t, releases, err); r.Available || r.Channel() != release.Beta || r.ReplacedAt == nil || r.PromotedAt == nil {
		t.Errorf("available %t, replaced at %v, promoted at %v", r.Available, r.ReplacedAt, r.PromotedAt)
	}
}

// TestWhatStartsAvailableFollowsGitHub: nobody has decided for its channel.
func TestWhatStartsAvailableFollowsGitHub(t *testing.T) {
	s, pool := open(t)
	marked, unmarked := made(1, "1.0.0", "a.zip"), made(1, "1.0.0", "a.zip")
	marked.Prerelease = true
	see := func(r release.Release) (promoted int) {
		t.Helper()
		w, err := s.Apply(t.Context(), mirror.Run{Repository: repository}, mirror.Listing{Releases: []release.Release{r}, Complete: true}, true)
		errtest.None(t, err)
		return len(w.Promoted)
	}
	if see(marked)+see(marked)+see(unmarked) > 0 {
		t.Error("it was kept on a channel")
	}
	// Of one from before that was kept, its mark decides.
	see(marked)
	if _, err := pool.Exec(t.Context(), "UPDATE releases SET offered_prerelease = NULL"); err != nil {
		t.Fatal(err)
	}
	if see(unmarked) != 1 {
		t.Error("one from before was not kept on its channel")
	}
}
