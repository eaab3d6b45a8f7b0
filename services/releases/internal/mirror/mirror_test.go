package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
)

func TestALookIsTakenWhenDueOrAskedFor(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	expect(t, look(t, m, false), mirror.Applied)
	if got := r.versions(t); !slices.Equal(got, []release.Version{"1.0.0"}) || r.changed != 1 {
		t.Fatalf("got %v after %d changes", got, r.changed)
	}
	r.pass(t, 5*time.Second)
	expect(t, look(t, m, true), mirror.NotOurs) // too soon
	r.pass(t, 5*time.Second)
	expect(t, look(t, m, false), mirror.NotOurs) // not due
	expect(t, look(t, m, true), mirror.Applied)
	r.pass(t, 5*time.Minute)
	expect(t, look(t, m, false), mirror.Applied)
	if r.github.times() != 3 {
		t.Errorf("GitHub was asked %d times, want 3", r.github.times())
	}
}

func TestReplicasShareOneRequest(t *testing.T) {
	r := newRig(t)
	outcomes := make(chan mirror.Outcome, 8)
	var wg sync.WaitGroup
	for range cap(outcomes) {
		m := r.replica(t)
		wg.Go(func() { outcomes <- look(t, m, true) })
	}
	wg.Wait()
	close(outcomes)
	counts := map[mirror.Outcome]int{}
	for o := range outcomes {
		counts[o]++
	}
	if r.github.times() != 1 || counts[mirror.Applied] != 1 || counts[mirror.NotOurs] != 7 {
		t.Errorf("%d requests, outcomes %v", r.github.times(), counts)
	}
}

// TestAWrongClockKeepsNobodyWaiting: neither a replica that is a day ahead nor one that is
// a day behind changes when the others may look, nor looks at other times than they.
func TestAWrongClockKeepsNobodyWaiting(t *testing.T) {
	for name, skew := range map[string]time.Duration{"ahead": 24 * time.Hour, "behind": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			wrong, right := r.replicaWith(t, clock.NewFake(time.Now().Add(skew))), r.replica(t)
			expect(t, look(t, wrong, false), mirror.Applied)
			expect(t, look(t, right, true), mirror.NotOurs)
			r.pass(t, 10*time.Second)
			expect(t, look(t, right, false), mirror.NotOurs)
			expect(t, look(t, right, true), mirror.Applied)
			expect(t, look(t, wrong, true), mirror.NotOurs)
			r.pass(t, 10*time.Second)
			notice(t, wrong)
			expect(t, look(t, right, false), mirror.Applied)
			r.github.says(mirror.Listing{}, errors.New("502"))
			r.pass(t, 5*time.Minute)
			expect(t, look(t, wrong, false), mirror.Failed)
			expect(t, look(t, right, true), mirror.NotOurs)
			r.pass(t, 15*time.Second)
			expect(t, look(t, right, false), mirror.Failed)
			expect(t, look(t, wrong, true), mirror.NotOurs)
		})
	}
}

func TestUnchangedCostsNoWriteToTheReleases(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	expect(t, look(t, m, true), mirror.Applied)
	written := func() (n int64) {
		t.Helper()
		err := r.pool.QueryRow(t.Context(), `SELECT sum(xmin::text::bigint) FROM (SELECT xmin FROM releases UNION ALL SELECT xmin FROM github_pages) AS rows`).Scan(&n)
		errtest.None(t, err)
		return n
	}
	before := written()

	same := listing("1.0.0")
	same.Unchanged = true
	r.github.says(same, nil)
	r.pass(t, time.Minute)
	expect(t, look(t, m, true), mirror.Unchanged)

	if written() != before || r.changed != 1 {
		t.Error("rows were written for a 304")
	}
	if at, err := r.store.LastCheck(t.Context(), "fledge/fledge-mac"); err != nil || time.Since(at) > 30*time.Second {
		t.Errorf("last check %s, %v", at, err)
	}
	if len(r.github.known) != 1 || r.github.known[0].ETag != `W/"1"` {
		t.Errorf("asked with %v", r.github.known)
	}

	// A new build may read the same answer differently, so it looks once.
	r.pass(t, time.Minute)
	expect(t, look(t, r.replica(t), true), mirror.Applied)
}

func TestWithGitHubDownTheCopyStaysAndTheRestGrows(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	expect(t, look(t, m, true), mirror.Applied)
	r.github.says(mirror.Listing{}, errors.New("502"))
	r.pass(t, 5*time.Minute)
	for _, rest := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute} {
		expect(t, look(t, m, false), mirror.Failed)
		r.pass(t, rest-margin)
		expect(t, look(t, m, true), mirror.NotOurs)
		r.pass(t, margin)
	}
	if got := r.versions(t); !slices.Equal(got, []release.Version{"1.0.0"}) {
		t.Fatalf("the copy became %v", got)
	}
	r.github.says(listing("1.1.0", "1.0.0"), nil)
	expect(t, look(t, m, false), mirror.Applied)
	if got := r.versions(t); !slices.Equal(got, []release.Version{"1.1.0", "1.0.0"}) {
		t.Errorf("after recovery %v", got)
	}
	r.github.says(mirror.Listing{}, errors.New("502"))
	r.pass(t, 5*time.Minute)
	expect(t, look(t, m, false), mirror.Failed)
	r.pass(t, 15*time.Second)
	expect(t, look(t, m, false), mirror.Failed) // the rest is short again
}

func TestARateLimitIsWaitedOutWithinReason(t *testing.T) {
	for name, tc := range map[string]struct{ demanded, want time.Duration }{
		"as demanded":      {20 * time.Minute, 20 * time.Minute},
		"already over":     {-time.Minute, 15 * time.Second},
		"beyond all sense": {1000 * time.Hour, time.Hour},
	} {
		r := newRig(t)
		m := r.replica(t)
		r.github.says(mirror.Listing{}, &mirror.RateLimitedError{Wait: tc.demanded})
		expect(t, look(t, m, true), mirror.RateLimited)
		r.pass(t, tc.want-margin)
		if got := look(t, m, true); got != mirror.NotOurs {
			t.Errorf("%s: asked again too soon: %s", name, got)
		}
		r.pass(t, margin)
		r.github.says(listing("1.0.0"), nil)
		if got := look(t, m, true); got != mirror.Applied {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAPersonDoesNotWaitForASlowGitHub(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	asked, free := make(chan struct{}), make(chan struct{})
	r.github.answer = func(ctx context.Context) (mirror.Listing, error) {
		close(asked)
		select {
		case <-free:
			return listing("1.0.0"), nil
		case <-ctx.Done():
			return mirror.Listing{}, ctx.Err()
		}
	}
	stop := start(t, m)
	<-asked
	began := time.Now()
	m.Refresh(t.Context(), 50*time.Millisecond)
	if waited := time.Since(began); waited > 30*time.Second {
		t.Errorf("waited %s", waited)
	}
	close(free)
	waittest.Eventually(t, "the run goes on without the person", func() bool { return len(r.versions(t)) > 0 })
	stop()
}

func TestStoppingEndsARunAndBlamesNobody(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	asked := make(chan struct{})
	r.github.answer = func(ctx context.Context) (mirror.Listing, error) {
		close(asked)
		<-ctx.Done()
		return mirror.Listing{}, ctx.Err()
	}
	stop := start(t, m)
	<-asked
	stop()
	r.pass(t, 20*time.Second)
	failures, ok, err := r.store.Claim(t.Context(), "fledge/fledge-mac", 0, false)
	if err != nil || !ok || failures != 0 {
		t.Errorf("the next replica finds %d failures, %t, %v", failures, ok, err)
	}
	m.Refresh(t.Context(), time.Millisecond) // does nothing any more
}

// TestASuddenEmptyListIsNotBelievedAtOnce, by no replica; after six hours it is.
func TestASuddenEmptyListIsNotBelievedAtOnce(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	r.github.says(listing(), nil)
	expect(t, look(t, m, false), mirror.Applied) // there was nothing before
	r.pass(t, time.Hour)
	expect(t, look(t, r.replica(t), false), mirror.Applied)
	r.github.says(listing("1.0.0"), nil)
	r.pass(t, time.Hour)
	expect(t, look(t, m, false), mirror.Applied)

	r.github.says(listing(), nil)
	for range 5 {
		r.pass(t, time.Hour)
		expect(t, look(t, m, false), mirror.Failed)
		expect(t, look(t, r.replica(t), true), mirror.NotOurs)
	}
	if got := r.versions(t); !slices.Equal(got, []release.Version{"1.0.0"}) {
		t.Fatalf("the copy has %v", got)
	}
	other := r.replicaOf(t, "fledge/another", clock.System(), slog.DiscardHandler)
	expect(t, look(t, other, false), mirror.Failed)
	r.pass(t, time.Hour)
	expect(t, look(t, m, false), mirror.Applied)
	if got := r.versions(t); len(got) != 0 {
		t.Errorf("the copy has %v", got)
	}
}

// TestAnotherRepositoryOfTheNameIsNotBelievedAtOnce: whoever takes the name after ours was renamed decides about no
// download for six hours. What the settings name anew is believed.
func TestAnotherRepositoryOfTheNameIsNotBelievedAtOnce(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	says := func(id int64, version release.Version) {
		l := listing(version)
		l.ID = id
		r.github.says(l, nil)
		r.pass(t, time.Hour)
	}
	for _, id := range []int64{0, 7, 0, 7} { // 0 without a token
		says(id, "1.0.0")
		expect(t, look(t, m, false), mirror.Applied)
	}
	for range 5 {
		says(8, "9.9.9")
		expect(t, look(t, m, false), mirror.Failed)
	}
	if got := r.versions(t); !slices.Equal(got, []release.Version{"1.0.0"}) {
		t.Fatalf("the copy has %v", got)
	}
	says(7, "1.0.0")
	expect(t, look(t, m, false), mirror.Applied)
	for range 5 {
		says(8, "9.9.9")
		expect(t, look(t, r.replica(t), false), mirror.Failed)
	}
	says(8, "9.9.9")
	expect(t, look(t, m, false), mirror.Applied)
	says(9, "2.0.0")
	expect(t, look(t, r.replicaOf(t, "fledge/another", clock.System(), slog.DiscardHandler), false), mirror.Applied)
}

// TestAnotherRepositorysReleasesAreForStaff: one that takes the name enables none of its own, also once it is believed,
// until staff have enabled one.
func TestAnotherRepositorysReleasesAreForStaff(t *testing.T) {
	r := newRig(t)
	enables := func() *mirror.Mirror {
		m, err := mirror.New(mirror.Config{Repository: "fledge/fledge-mac", InitiallyAvailable: true, Changed: func() {}},
			r.github, r.store, clock.System(), slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		errtest.None(t, err)
		return m
	}
	m := enables()
	says := func(id int64, version release.Version, want mirror.Outcome, available bool) {
		t.Helper()
		l := listing(version)
		l.ID = id
		r.github.says(l, nil)
		expect(t, look(t, m, true), want)
		releases, err := r.store.Releases(t.Context())
		errtest.None(t, err)
		i := slices.IndexFunc(releases, func(r release.Release) bool { return r.Version == version })
		if listed := want == mirror.Applied; (i >= 0) != listed || listed && releases[i].Available != available {
			t.Fatalf("%s of repository %d: %+v", version, id, releases)
		}
	}
	for i, id := range []int64{0, 1, 0, 1} { // 0 where GitHub has not said it
		says(id, release.Version(fmt.Sprintf("1.%d.0", i)), mirror.Applied, true)
	}
	says(2, "99.0.0", mirror.Failed, false)
	r.pass(t, 6*time.Hour)
	says(2, "99.0.0", mirror.Applied, false)
	m = enables()
	says(2, "99.1.0", mirror.Applied, false)
	says(0, "99.2.0", mirror.Applied, false)
	if _, _, err := r.store.SetAvailability(audittest.As(t.Context()), 1, "99.2.0", true); err != nil {
		t.Fatal(err)
	}
	says(2, "99.3.0", mirror.Applied, true)
}

// TestTheTokensEndIsAMetric, which stays while GitHub says nothing.
func TestTheTokensEndIsAMetric(t *testing.T) {
	r := newRig(t)
	reg := prometheus.NewRegistry()
	m, err := mirror.New(mirror.Config{Repository: "fledge/fledge-mac", Changed: func() {}}, r.github, r.store, clock.System(), slog.New(slog.DiscardHandler), reg)
	errtest.None(t, err)
	for _, step := range []struct {
		ends time.Time
		want string
	}{{time.Time{}, "NaN"}, {time.Unix(1e9, 0), "1e+09"}, {time.Time{}, "1e+09"}} {
		l := listing("1.0.0")
		l.TokenEnds = step.ends
		r.github.says(l, nil)
		expect(t, look(t, m, true), mirror.Applied)
		const name = "releases_github_token_expiry_timestamp_seconds"
		want := "# HELP " + name + " When GITHUB_TOKEN ends, in seconds since 1970; NaN while GitHub has named no end.\n# TYPE " + name + " gauge\n" + name + " " + step.want + "\n"
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), name); err != nil {
			t.Error(err)
		}
	}
}

// TestWhatIsLeftOutIsLoggedOnce, as long as it is there.
func TestWhatIsLeftOutIsLoggedOnce(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	m := r.replicaOf(t, "fledge/fledge-mac", clock.System(), slog.NewJSONHandler(&log, nil))
	for _, skipped := range [][]string{{"cli-v1"}, {"cli-v1", "nightly"}, {"cli-v1", "nightly"}, {"nightly"}, {"cli-v1", "nightly"}} {
		l := listing("1.0.0")
		l.Skipped = skipped
		r.github.says(l, nil)
		expect(t, look(t, m, false), mirror.Applied)
		r.pass(t, time.Hour)
	}
	if cli, nightly := strings.Count(log.String(), `"what":"cli-v1"`), strings.Count(log.String(), `"what":"nightly"`); cli != 2 || nightly != 1 {
		t.Errorf("logged %d and %d times:\n%s", cli, nightly, &log)
	}
}

// TestARenamedRepositoryIsLoggedOnce, also when nothing else is new.
func TestARenamedRepositoryIsLoggedOnce(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	m := r.replicaOf(t, "fledge/fledge-mac", clock.System(), slog.NewJSONHandler(&log, nil))
	named := func(name string, unchanged bool) mirror.Listing {
		l := listing("1.0.0")
		l.Name, l.Unchanged = name, unchanged
		return l
	}
	for _, l := range []mirror.Listing{named("Fledge/Fledge-Mac", false), named("fledge/fledge-app", true), named("fledge/fledge-app", false), listing("1.0.0")} {
		r.github.says(l, nil)
		look(t, m, false)
		r.pass(t, time.Hour)
	}
	if got := strings.Count(log.String(), `"to":"fledge/fledge-app"`); got != 1 || strings.Count(log.String(), `"to"`) != 1 {
		t.Errorf("logged %d times:\n%s", got, &log)
	}
}
