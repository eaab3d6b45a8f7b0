package release_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"fledge.dev/services/platform/rollout"
	"fledge.dev/services/releases/internal/release"
)

// at is a staging id whose place in a rollout is the given part of 2^32-1.
func at(place uint32) string { return fmt.Sprintf("6ba7b810-9dad-51d1-80b4-00c0%08x", place) }

func feedable(v release.Version, rollout int) release.Release {
	r := made(v, true, "A-"+string(v)+"-arm64-mac.zip", "A-"+string(v)+"-x64-mac.zip", "A-"+string(v)+"-arm64.dmg")
	r.Rollout.Percentage = rollout
	for i := range r.Assets {
		r.Assets[i].Size, r.Assets[i].SHA512 = 1, "sum"
	}
	return r
}

func TestARolloutRisesByDays(t *testing.T) {
	since := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	day := func(n int) time.Time { return since.Add(time.Duration(n) * 24 * time.Hour) }
	for _, tc := range []struct {
		at   time.Time
		want release.Rollout
	}{
		{since, release.Rollout{Percentage: 1, Next: 5, NextAt: day(1)}},
		{since.Add(-time.Minute), release.Rollout{Percentage: 1, Next: 5, NextAt: day(1)}},
		{day(-2), release.Rollout{Percentage: 1, Next: 5, NextAt: day(1)}},
		{day(1).Add(-1), release.Rollout{Percentage: 1, Next: 5, NextAt: day(1)}},
		{day(1), release.Rollout{Percentage: 5, Next: 25, NextAt: day(2)}},
		{day(2), release.Rollout{Percentage: 25, Next: 100, NextAt: day(3)}},
		{day(3), release.Rollout{Percentage: 100}},
		{day(300), release.Rollout{Percentage: 100}},
		{day(-100_000), release.Rollout{Percentage: 1, Next: 5, NextAt: day(1)}},
		{day(100_000), release.Rollout{Percentage: 100}},
	} {
		if got := release.RolloutAt(1, &since, true, tc.at); got != tc.want {
			t.Errorf("at %s: %+v, want %+v", tc.at, got, tc.want)
		}
	}
	if got := release.RolloutAt(40, nil, true, since); got != (release.Rollout{Percentage: 40}) {
		t.Errorf("one that stays: %+v", got)
	}
	if got := release.RolloutAt(1, &since, false, day(300)); got != (release.Rollout{Percentage: 1, Next: 5, NextAt: day(301)}) {
		t.Errorf("one of a release that is not available: %+v", got)
	}
}

func updateFor(app release.App, releases ...release.Release) string {
	release.Sort(releases)
	u, ok := release.UpdateFor(releases, app)
	if !ok {
		return ""
	}
	out := string(u.Release.Version)
	for _, f := range u.Files {
		out += " " + f.Name
	}
	return out
}

func TestARolloutReachesItsPart(t *testing.T) {
	for _, tc := range []struct {
		id      string
		percent int
		want    string
	}{
		{at(0x3fffffff), 25, "2.0.0"}, {at(0x40000000), 25, "1.0.0"}, {at(0x40000000), 26, "2.0.0"},
		{at(0), 1, "2.0.0"}, {at(0), 0, "1.0.0"},
		{at(0xffffffff), 99, "1.0.0"}, {at(0xffffffff), 100, "2.0.0"}, // electron-updater without a percentage, too
		{"", 99, "1.0.0"}, {"", 100, "2.0.0"},
		{"not a UUID", 99, "1.0.0"}, {strings.Repeat("0", 32), 99, "1.0.0"}, {"{" + at(0) + "}", 99, "1.0.0"}, {"urn:uuid:" + at(0), 99, "1.0.0"},
		{strings.ToUpper(at(0xa)), 99, "2.0.0"},
		{at(0) + " ", 99, "1.0.0"}, {" " + at(0), 99, "1.0.0"}, {at(0) + "0", 99, "1.0.0"}, {at(0)[:35], 99, "1.0.0"}, {at(0) + "\n", 99, "1.0.0"},
		{"6ba7b810-9dad-51d1-80b4-00c00000000g", 99, "1.0.0"}, {"6ba7b8109-dad-51d1-80b4-00c000000000", 99, "1.0.0"}, {"6ba7b810-9dad-51d1-80b4-00c0-0000000", 99, "1.0.0"},
		{"00000000-0000-0000-0000-000000000000", 99, "2.0.0"}, {"ffffffff-ffff-ffff-ffff-ffffffffffff", 99, "1.0.0"}, {"６ba7b810-9dad-51d1-80b4-00c000000000", 99, "1.0.0"},
	} {
		app := release.App{StagingID: tc.id}
		got, _, _ := strings.Cut(updateFor(app, feedable("2.0.0", tc.percent), feedable("1.0.0", 100)), " ")
		if got != tc.want {
			t.Errorf("%q at %d %%: %s, want %s", tc.id, tc.percent, got, tc.want)
		}
	}
}

func TestARolloutOnlyGrows(t *testing.T) {
	const apps = 300
	reached := 0
	for i := range apps {
		id := uuid.NewSHA1(uuid.NameSpaceURL, fmt.Append(nil, i)).String()
		before := false
		for percent := range 101 {
			now := updateFor(release.App{StagingID: id}, feedable("2.0.0", percent)) != ""
			if before && !now {
				t.Fatalf("app %d is reached at %d %% and not at %d %%", i, percent-1, percent)
			}
			before = now
			if percent == 25 && now {
				reached++
			}
		}
		if !before {
			t.Fatalf("app %d is not reached at all", i)
		}
	}
	if reached < apps/5 || reached > apps*3/10 {
		t.Errorf("25 %% reach %d of %d apps", reached, apps)
	}
}

// TestTheStepsSayWhatEachAppIsOffered for any rollouts and any app.
func TestTheStepsSayWhatEachAppIsOffered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var releases []release.Release
		for major, percent := range rapid.SliceOfN(rapid.IntRange(-1, 101), 0, 6).Draw(t, "rollouts") {
			r := feedable(release.Version(fmt.Sprintf("%d.0.0", major)), percent)
			if rapid.IntRange(0, 4).Draw(t, "lacks a build") == 0 {
				r.Assets = r.Assets[1:]
			}
			releases = append(releases, r)
		}
		release.Sort(releases)
		// Where rollouts end is where a mistake would show.
		edge := uint32(float64(rapid.IntRange(0, 100).Draw(t, "edge")) / 100 * math.MaxUint32)
		place := edge + uint32(rapid.IntRange(-2, 2).Draw(t, "beside it"))
		for id, at := range map[string]int64{at(place): int64(place), "": rollout.Everybody - 1} {
			var want, got release.Version
			if u, ok := release.UpdateFor(releases, release.App{StagingID: id}); ok {
				want = u.Release.Version
			}
			for _, step := range release.Steps(releases, release.Stable) {
				if at < step.Reach && (id != "" || step.Reach == rollout.Everybody) {
					got = step.Release.Version
					break
				}
			}
			if got != want {
				t.Fatalf("%q: %q by the steps, %q by itself", id, got, want)
			}
		}
	})
}

func TestWhoIsNotReachedGetsThePreviousRelease(t *testing.T) {
	id := release.App{StagingID: at(0x80000000)} // the middle
	beta := feedable("4.0.0-beta.1", 100)
	disabled := feedable("3.9.0", 100)
	disabled.Available = false
	for name, tc := range map[string]struct {
		releases []release.Release
		want     string
	}{
		"nothing":             {nil, ""},
		"two rollouts":        {[]release.Release{feedable("3.0.0", 10), feedable("2.0.0", 60), feedable("1.0.0", 100)}, "2.0.0"},
		"by number":           {[]release.Release{feedable("1.9.0", 100), feedable("1.10.0", 100)}, "1.10.0"},
		"a prerelease":        {[]release.Release{beta, feedable("1.0.0", 100)}, "1.0.0"},
		"a disabled release":  {[]release.Release{disabled, feedable("1.0.0", 100)}, "1.0.0"},
		"nothing but 0 %":     {[]release.Release{feedable("1.0.0", 0)}, ""},
		"nothing for this id": {[]release.Release{feedable("1.0.0", 50)}, ""},
	} {
		if got, _, _ := strings.Cut(updateFor(id, tc.releases...), " "); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestTheButtonsPassOverAnEmptyRolloutAlone(t *testing.T) {
	for percent, want := range map[int]string{0: "1.0.0", 1: "2.0.0", 100: "2.0.0"} {
		offers, _ := release.Latest([]release.Release{feedable("1.0.0", 100), feedable("2.0.0", percent)}, release.Stable)
		if len(offers) != 1 || string(offers[0].Version) != want {
			t.Errorf("at %d %%: %+v, want %s", percent, offers, want)
		}
	}
}
