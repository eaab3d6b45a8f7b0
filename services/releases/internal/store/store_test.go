package store_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases/internal/downloads"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store"
)

const repository = "fledge/fledge-mac"

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) (*store.Store, *pgxpool.Pool) {
	t.Helper()
	url := pgtest.New(t, "releases", store.Migrate)
	cfg := pg.Config{URL: config.Secret(url), MaxConns: 10, StatementTimeout: 5 * time.Second, Deadline: 5 * time.Second}
	pool, err := pg.Open(t.Context(), cfg, service.NewRuntime("releases", "test", obs.NewLogger(io.Discard, "releases", 0)))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	return store.New(pool), pool
}

func made(id int64, v release.Version, files ...string) release.Release {
	r := release.Release{GitHubID: id, Version: v, Name: "Fledge " + string(v), Prerelease: v.IsPrerelease(), PublishedAt: noon.Add(-time.Duration(id) * time.Hour)}
	r.CreatedAt = r.PublishedAt
	for i, f := range files {
		n := id*100 + int64(i)
		r.Assets = append(r.Assets, release.Asset{GitHubID: n, Name: f, Size: n, URL: "https://github.com/f/" + f, Digest: "sha256:ab", DownloadCount: 1})
	}
	return r
}

// later is made after all those that made gives.
func later(id int64, v release.Version) release.Release {
	r := made(id, v)
	r.PublishedAt, r.CreatedAt = noon, noon
	return r
}

// publishedEarly is created after all those that made gives, and was published before: as a
// release whose tag is moved to each new commit.
func publishedEarly(id int64, v release.Version) release.Release {
	r := later(id, v)
	r.PublishedAt = noon.AddDate(-2, 0, 0)
	return r
}

func apply(t *testing.T, s *store.Store, complete bool, releases ...release.Release) {
	t.Helper()
	if _, _, err := s.Claim(t.Context(), repository, 0, true); err != nil {
		t.Fatal(err)
	}
	run := mirror.Run{Repository: repository, Due: time.Hour}
	listing := mirror.Listing{Releases: releases, Complete: complete}
	for _, r := range releases {
		if listing.Until.IsZero() || r.CreatedAt.Before(listing.Until) {
			listing.Until = r.CreatedAt
		}
	}
	if _, err := s.Apply(t.Context(), run, listing, false); err != nil {
		t.Fatal(err)
	}
}

// list describes the mirror as "version#id+assets" with a star when available.
func list(t *testing.T, s *store.Store) string {
	t.Helper()
	releases, err := s.Releases(t.Context())
	errtest.None(t, err)
	var out []string
	for _, r := range releases {
		line := string(r.Version) + "#" + string(rune('0'+r.GitHubID))
		for _, a := range r.Assets {
			line += "+" + a.Name
		}
		if r.Available {
			line += "*"
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}

// records is how many audit records there are.
func records(t *testing.T, pool *pgxpool.Pool) (n int) {
	t.Helper()
	errtest.None(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM outbox").Scan(&n))
	return n
}

func TestTheMirrorFollowsGitHub(t *testing.T) {
	s, _ := open(t)
	steps := []struct {
		what     string
		complete bool
		releases []release.Release
		want     string
	}{
		{"first look", true, []release.Release{made(2, "1.10.0", "a", "b"), made(1, "1.9.0", "c")}, "1.10.0#2+a+b 1.9.0#1+c"},
		{"an asset goes, one comes", true, []release.Release{made(2, "1.10.0", "a", "d"), made(1, "1.9.0", "c")}, "1.10.0#2+a+d 1.9.0#1+c"},
		{"a release is deleted", true, []release.Release{made(1, "1.9.0", "c")}, "1.9.0#1+c"},
		{"and made again under a new id", true, []release.Release{made(3, "1.10.0", "a"), made(1, "1.9.0", "c")}, "1.10.0#3+a 1.9.0#1+c"},
		{"a tag moves", true, []release.Release{made(3, "1.10.1", "a"), made(1, "1.9.0")}, "1.10.1#3+a 1.9.0#1"},
		{"two tags swap", true, []release.Release{made(1, "1.10.1", "a"), made(3, "1.9.0")}, "1.10.1#1+a 1.9.0#3"},
		{"more pages than we keep", false, []release.Release{later(4, "2.0.0")}, "2.0.0#4 1.10.1#1+a 1.9.0#3"},
		{"one of them is deleted", false, []release.Release{made(1, "1.10.1", "a")}, "1.10.1#1+a 1.9.0#3"},
		{"one that was published before those that are not listed", false, []release.Release{publishedEarly(5, "3.0.0")}, "3.0.0#5 1.10.1#1+a 1.9.0#3"},
		{"and goes", true, []release.Release{made(1, "1.10.1", "a"), made(3, "1.9.0")}, "1.10.1#1+a 1.9.0#3"},
		{"there are drafts only on these pages", false, nil, "1.10.1#1+a 1.9.0#3"},
		{"all gone", true, nil, ""},
	}
	for _, step := range steps {
		apply(t, s, step.complete, step.releases...)
		if got := list(t, s); got != step.want {
			t.Fatalf("%s: got %q, want %q", step.what, got, step.want)
		}
	}
}

func TestOurDecisionOutlivesWhatGitHubDoes(t *testing.T) {
	s, _ := open(t)
	apply(t, s, true, made(1, "1.0.0", "a"))
	if _, _, err := s.SetAvailability(audittest.As(t.Context()), 1, "1.0.0", true); err != nil {
		t.Fatal(err)
	}
	apply(t, s, true, made(1, "1.0.0", "a", "b"))
	if got := list(t, s); got != "1.0.0#1+a+b*" {
		t.Errorf("after an edit: %s", got)
	}
	apply(t, s, true)
	apply(t, s, true, made(7, "1.0.0", "a"))
	if got := list(t, s); got != "1.0.0#7+a*" {
		t.Errorf("after it was made again: %s", got)
	}
}

func TestNewReleasesTakeTheInitialAvailability(t *testing.T) {
	s, pool := open(t)
	apply(t, s, true, made(1, "1.0.0"))
	run := mirror.Run{Repository: repository}
	listing := mirror.Listing{Releases: []release.Release{made(1, "1.0.0"), made(2, "2.0.0")}, Complete: true}
	if _, err := s.Apply(t.Context(), run, listing, true); err != nil {
		t.Fatal(err)
	}
	if got := list(t, s); got != "2.0.0#2* 1.0.0#1" {
		t.Errorf("got %s", got)
	}
	if n := records(t, pool); n != 0 {
		t.Errorf("nobody changed anything: %d records", n)
	}
}

func TestSetAvailabilityIsIdempotentAndGuarded(t *testing.T) {
	s, pool := open(t)
	apply(t, s, true, made(1, "1.0.0", "a"), made(2, "2.0.0"))
	for _, step := range []struct {
		on, changed bool
	}{{false, false}, {true, true}, {true, false}, {false, true}, {false, false}} {
		r, changed, err := s.SetAvailability(audittest.As(t.Context()), 1, "1.0.0", step.on)
		if err != nil || changed != step.changed || r.Available != step.on || r.Version != "1.0.0" || len(r.Assets) != 1 {
			t.Fatalf("to %t: %+v, %t, %v", step.on, r, changed, err)
		}
	}
	if _, _, err := s.SetAvailability(audittest.As(t.Context()), 99, "1.0.0", true); !errors.Is(err, fault.NotFound) {
		t.Errorf("unknown id: %v", err)
	}
	if _, _, err := s.SetAvailability(audittest.As(t.Context()), 2, "1.0.0", true); !errors.Is(err, fault.Conflict) {
		t.Errorf("another version: %v", err)
	}
	apply(t, s, true, made(1, "1.0.0", "a"))
	if _, _, err := s.SetAvailability(audittest.As(t.Context()), 2, "2.0.0", true); !errors.Is(err, fault.NotFound) {
		t.Errorf("a release that GitHub has dropped: %v", err)
	}
	if n := records(t, pool); n != 2 {
		t.Errorf("%d records of two changes", n)
	}
}

func TestConcurrentTogglesAgreeWithTheirRecords(t *testing.T) {
	s, pool := open(t)
	apply(t, s, true, made(1, "1.0.0"))
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if _, _, err := s.SetAvailability(audittest.As(context.Background()), 1, "1.0.0", i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	releases, err := s.Releases(t.Context())
	errtest.None(t, err)
	// It started off, and every record is of a change.
	if n := records(t, pool); releases[0].Available != (n%2 == 1) {
		t.Errorf("available %t after %d changes", releases[0].Available, n)
	}
}

// pass makes it later. PostgreSQL's clock stays; the times that are compared with it move back.
func pass(t *testing.T, pool *pgxpool.Pool, d time.Duration) {
	t.Helper()
	_, err := pool.Exec(t.Context(), `WITH checksums AS (UPDATE releases SET checksums_due_at = checksums_due_at - $1::interval)
		UPDATE github_sync SET due_at = due_at - $1::interval, held_until = held_until - $1::interval, last_check_at = last_check_at - $1::interval`, d)
	errtest.None(t, err)
}

func TestOneClaimAtATime(t *testing.T) {
	s, pool := open(t)
	claim := func(asked bool) (int, bool) {
		t.Helper()
		failures, ok, err := s.Claim(t.Context(), repository, 20*time.Second, asked)
		errtest.None(t, err)
		return failures, ok
	}
	if _, ok := claim(false); !ok {
		t.Fatal("the first claim must succeed")
	}
	pass(t, pool, 10*time.Second)
	if _, ok := claim(true); ok {
		t.Fatal("a run under way must not be doubled")
	}
	pass(t, pool, 10*time.Second)
	if _, ok := claim(false); !ok {
		t.Fatal("a run whose owner died must be taken over")
	}
	if at, err := s.LastCheck(t.Context(), repository); err != nil || !at.IsZero() {
		t.Errorf("never answered, but %s, %v", at, err)
	}
	errtest.None(t, s.Finish(t.Context(), mirror.Run{Repository: repository, Due: 5 * time.Minute, Held: 10 * time.Second}))
	pass(t, pool, time.Minute)
	if _, ok := claim(false); ok {
		t.Error("not due yet")
	}
	if _, ok := claim(true); !ok {
		t.Error("asked for")
	}
	errtest.None(t, s.Fail(t.Context(), repository, time.Minute))
	pass(t, pool, 50*time.Second)
	if _, ok := claim(true); ok {
		t.Error("GitHub needs rest")
	}
	pass(t, pool, 10*time.Second)
	if failures, ok := claim(false); !ok || failures != 1 {
		t.Errorf("after the rest: %d, %t", failures, ok)
	}
	if at, err := s.LastCheck(t.Context(), repository); err != nil || (time.Since(at)-2*time.Minute).Abs() > time.Minute {
		t.Errorf("last check %s, %v", at, err)
	}
}

// TestAWishOutlivesTheReplicaThatHasTakenIt, as a webhook's whose replica is stopped in the middle of its run.
func TestAWishOutlivesTheReplicaThatHasTakenIt(t *testing.T) {
	s, pool := open(t)
	claim := func(asked, want bool) {
		t.Helper()
		if _, ok, err := s.Claim(t.Context(), repository, 20*time.Second, asked); ok != want || err != nil {
			t.Fatalf("claimed: %t, %v; want %t", ok, err, want)
		}
	}
	run := mirror.Run{Repository: repository, Due: 5 * time.Minute}
	claim(false, true)
	for _, asked := range []bool{false, true} {
		errtest.None(t, s.Finish(t.Context(), run))
		claim(false, false)
		if !asked {
			errtest.None(t, s.Want(t.Context(), repository))
		}
		claim(asked, true)
		pass(t, pool, 20*time.Second)
		claim(false, true)
	}
	errtest.None(t, s.Finish(t.Context(), run))
	claim(false, false)
}

func TestPagesAreStoredWithTheirListing(t *testing.T) {
	s, _ := open(t)
	run := mirror.Run{Repository: repository}
	for _, pages := range [][]mirror.Page{
		{{URL: "u1", ETag: `W/"a"`, Link: "l", Body: []byte("[\x00]")}, {URL: "u2", ETag: `W/"b"`, Body: []byte("[]")}},
		{{URL: "u1", ETag: `W/"c"`, Body: []byte("[1]")}},
		{},
	} {
		if _, err := s.Apply(t.Context(), run, mirror.Listing{Complete: true, Pages: pages}, false); err != nil {
			t.Fatal(err)
		}
		got, err := s.Pages(t.Context())
		if err != nil || len(got) != len(pages) {
			t.Fatalf("got %v, %v; want %v", got, err, pages)
		}
		for i := range got {
			if got[i].URL != pages[i].URL || got[i].ETag != pages[i].ETag || got[i].Link != pages[i].Link || string(got[i].Body) != string(pages[i].Body) {
				t.Errorf("got %+v, want %+v", got[i], pages[i])
			}
		}
	}
}

func TestDownloadCountsAdd(t *testing.T) {
	s, pool := open(t)
	d := downloads.Download{Day: noon.Truncate(24 * time.Hour), Version: "1.0.0", Filename: "a.dmg", Arch: release.Arm64}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := s.AddDownloads(context.Background(), map[downloads.Download]int64{d: 2}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var n int64
	var day, arch string
	err := pool.QueryRow(t.Context(), `SELECT count, day::text, arch FROM downloads`).Scan(&n, &day, &arch)
	if err != nil || n != 100 || day != "2026-11-20" || arch != "arm64" {
		t.Errorf("%d on %s for %s, %v", n, day, arch, err)
	}
}
