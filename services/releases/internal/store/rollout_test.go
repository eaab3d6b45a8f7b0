package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/release"
)

var sum = strings.Repeat("A", 86) + "=="

func one(t *testing.T, releases []release.Release, err error) release.Release {
	t.Helper()
	if err != nil || len(releases) != 1 {
		t.Fatalf("got %+v, %v", releases, err)
	}
	return releases[0]
}

func TestSetRolloutIsIdempotentAndGuarded(t *testing.T) {
	s, _ := open(t)
	apply(t, s, true, made(1, "1.0.0", "a"), made(2, "2.0.0"))
	for _, step := range []struct {
		to      int
		changed bool
	}{{100, false}, {25, true}, {25, false}, {0, true}, {100, true}} {
		r, changed, err := s.SetRollout(audittest.As(t.Context()), 1, "1.0.0", step.to)
		if err != nil || changed != step.changed || r.Rollout.Percentage != step.to || r.Available {
			t.Fatalf("to %d: %+v, %t, %v", step.to, r, changed, err)
		}
	}
	if _, _, err := s.SetRollout(audittest.As(t.Context()), 99, "1.0.0", 1); !errors.Is(err, fault.NotFound) {
		t.Errorf("unknown id: %v", err)
	}
	if _, _, err := s.SetRollout(audittest.As(t.Context()), 2, "1.0.0", 1); !errors.Is(err, fault.Conflict) {
		t.Errorf("another version: %v", err)
	}
	if _, _, err := s.SetRollout(audittest.As(t.Context()), 2, "2.0.0", 101); err == nil {
		t.Error("101 % is possible")
	}
}

func TestARolloutOutlivesWhatGitHubDoes(t *testing.T) {
	s, _ := open(t)
	apply(t, s, true, made(1, "1.0.0", "a"))
	if _, _, err := s.SetRollout(audittest.As(t.Context()), 1, "1.0.0", 25); err != nil {
		t.Fatal(err)
	}
	apply(t, s, true)
	edited := made(7, "1.0.0", "a", "b")
	edited.Notes = "What is new"
	apply(t, s, true, edited)
	releases, err := s.Releases(t.Context())
	if r := one(t, releases, err); r.Rollout.Percentage != 25 || r.Notes != "What is new" {
		t.Errorf("after it was made again: %d %%, notes %q", r.Rollout.Percentage, r.Notes)
	}
}

func TestChecksumsBelongToAnUpload(t *testing.T) {
	s, pool := open(t)
	claim := func() string {
		t.Helper()
		r, ok, err := s.ClaimChecksums(t.Context(), time.Hour)
		if err != nil || ok != (r.Version != "") {
			t.Fatalf("%+v, %t, %v", r, ok, err)
		}
		return string(r.Version)
	}
	beta := made(4, "4.0.0-beta.1", "d.zip")
	apply(t, s, true, made(1, "1.0.0", "a.zip", "a.dmg"), made(2, "2.0.0", "b.ZIP"), made(3, "3.0.0", "c.dmg"), beta, made(5, "5.0.0", "e.zip"))
	if got := claim(); got != "" {
		t.Errorf("nothing is available, and yet %s needs a checksum", got)
	}
	for id, version := range map[int64]release.Version{1: "1.0.0", 2: "2.0.0", 3: "3.0.0", 4: "4.0.0-beta.1"} {
		if _, _, err := s.SetAvailability(audittest.As(t.Context()), id, version, true); err != nil {
			t.Fatal(err)
		}
	}
	// made gives release 1 the latest publication.
	if got := []string{claim(), claim(), claim(), claim()}; !slices.Equal(got, []string{"1.0.0", "2.0.0", "4.0.0-beta.1", ""}) {
		t.Errorf("claimed %q", got)
	}
	errtest.None(t, s.PutChecksums(t.Context(), "1.0.0", map[int64]string{100: sum, 999: sum, 200: sum}))
	pass(t, pool, time.Hour)
	if got := claim(); got != "2.0.0" {
		t.Errorf("claimed %q: 1.0.0 has its checksum, and 2.0.0 was another release's to write", got)
	}

	known := func() string {
		t.Helper()
		releases, err := s.Releases(t.Context())
		errtest.None(t, err)
		for _, r := range releases {
			if a, ok := r.Asset("a.zip"); ok {
				return a.SHA512
			}
		}
		return "no such file"
	}
	if got := known(); got != sum {
		t.Errorf("kept %q", got)
	}
	again := made(1, "1.0.0", "a.zip", "a.dmg")
	again.Assets[0].DownloadCount++
	apply(t, s, true, again)
	if got := known(); got != sum {
		t.Errorf("after a download: %q", got)
	}
	again.Assets[0].GitHubID += 50
	apply(t, s, true, again)
	if got := known(); got != "" {
		t.Errorf("after another upload: %q", got)
	}
	if got := claim(); got != "1.0.0" { // and not only when the claim before has run out
		t.Errorf("after another upload %q is claimed", got)
	}
	if err := s.PutChecksums(t.Context(), "1.0.0", map[int64]string{150: strings.Repeat("A", 88)}); err == nil {
		t.Error("something that is not a checksum was kept")
	}
}

func TestAWantedTurnComesOnce(t *testing.T) {
	s, _ := open(t)
	claim := func() bool {
		t.Helper()
		_, ok, err := s.Claim(t.Context(), repository, 0, false)
		errtest.None(t, err)
		return ok
	}
	want := func() {
		t.Helper()
		errtest.None(t, s.Want(t.Context(), repository))
	}
	want() // before anything is known about the repository
	want()
	if !claim() {
		t.Fatal("wanted")
	}
	want() // while that run is under way
	apply(t, s, true, made(1, "1.0.0"))
	for range 2 {
		want()
	}
	if !claim() {
		t.Fatal("what came during a run brings another")
	}
	apply(t, s, true, made(1, "1.0.0"))
	if claim() {
		t.Error("three notices brought two runs")
	}
}
