package release_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fledge.dev/services/releases/internal/release"
)

func explain(app release.App, releases ...release.Release) release.Explanation {
	release.Sort(releases)
	return release.Explain(releases, app)
}

func TestAnExplanationNamesEachReleaseThatWasLookedAt(t *testing.T) {
	disabled, replaced, bare, images, empty := feedable("7.0.0", 100), feedable("6.0.0", 100), feedable("3.0.0", 100), feedable("2.2.0", 100), feedable("2.1.0", 100)
	images.Assets = []release.Asset{{Name: "Fledge-arm64.dmg", Size: 1}, {Name: "Fledge-x64.dmg", Size: 1}}
	empty.Assets = []release.Asset{{Name: "Fledge-universal.zip"}}
	disabled.Available, replaced.Available = false, false
	seen := time.Now()
	replaced.ReplacedAt, bare.Assets = &seen, bare.Assets[1:]
	got := explain(release.App{StagingID: at(0x40000000), Installed: "1.9.0"},
		disabled, replaced, feedable("5.0.0-beta.1", 100), feedable("4.0.0", 25), bare, images, empty, feedable("2.0.0", 26), feedable("1.0.0", 100))
	want := []string{
		"This app is offered v2.0.0.",
		"Its id is at 25.00 of 100 in every rollout: a rollout above that reaches it.",
		"v7.0.0 is disabled.",
		"v6.0.0 was disabled because its files were replaced on GitHub.",
		"v5.0.0-beta.1 is on the channel beta, and the app follows stable.",
		"v4.0.0 is rolled out to 25%, which does not reach it.",
		"v3.0.0 lacks an archive for one kind of Mac, or has an empty one. Squirrel's apps on the other kind can get it.",
		"v2.2.0 has no archive for any Mac, or an empty one.",
		"v2.1.0 has no archive for any Mac, or an empty one.",
		"v2.0.0 is enabled, on the channel stable, and rolled out to 26%.",
		"The update of a Mac with Apple silicon is A-2.0.0-arm64-mac.zip.",
		"The update of a Mac with Intel is A-2.0.0-x64-mac.zip.",
		"A Mac with a system older than macOS 12 does not install it.",
	}
	if got.Offered != "2.0.0" || !slices.Equal(got.Sentences, want) {
		t.Errorf("%s: %s", got.Offered, strings.Join(got.Sentences, "\n"))
	}
}

func TestAnExplanationBeginsWithTheAnswer(t *testing.T) {
	for _, tc := range []struct {
		app    release.App
		places []string // what the first sentences say
	}{
		{release.App{Installed: "2.0.0"}, []string{"There is no update: the newest release for this app is v2.0.0, and it has v2.0.0.", "It sends no id that counts, so only complete rollouts reach it."}},
		{release.App{Installed: "2.1.0-beta.1"}, []string{"No higher version: an app with electron-updater that names a channel goes back to v2.0.0; any other keeps v2.1.0-beta.1.", "It sends no id that counts, so only complete rollouts reach it."}},
		{release.App{Installed: "2.1.0-beta.1", Arch: release.X64}, []string{"There is no update: the newest release for this app is v2.0.0, and it has v2.1.0-beta.1.", "It sends no id that counts, so only complete rollouts reach it."}},
		{release.App{StagingID: "nonsense"}, []string{"This app is offered v2.0.0.", "It sends no id that counts, so only complete rollouts reach it."}},
		{release.App{StagingID: at(0x3fffffff)}, []string{"This app is offered v2.0.0.", "Its id is at 24.99 of 100 in every rollout: a rollout above that reaches it."}},
	} {
		if got := explain(tc.app, feedable("2.0.0", 100)); !slices.Equal(got.Sentences[:2], tc.places) {
			t.Errorf("%+v: %q", tc.app, got.Sentences)
		}
	}
	if got := explain(release.App{}); len(got.Sentences) != 2 || got.Sentences[0] != "There is no update: no release is for this app." {
		t.Errorf("without releases: %q", got.Sentences)
	}
	var many []release.Release
	for i := range 300 {
		many = append(many, feedable(release.Version(fmt.Sprintf("1.%d.0", i)), 0))
	}
	if got := explain(release.App{}, many...); len(got.Sentences) != 23 || got.Sentences[2] != "The newest 280 releases are not for it, either." {
		t.Errorf("%d sentences: %q", len(got.Sentences), got.Sentences[:3])
	}
}

func TestAnExplanationIsOfTheArchitectureThatAnAppTells(t *testing.T) {
	silicon := feedable("2.0.0", 100)
	silicon.Assets = []release.Asset{{Name: "Fledge-arm64.zip", Size: 1, SHA512: "known"}}
	for arch, want := range map[release.Arch]string{
		release.Arm64: "v2.0.0 is enabled, on the channel stable, and rolled out to 100%.",
		release.X64:   "v2.0.0 has no archive for a Mac with Intel, or an empty one.",
		"":            "v2.0.0 lacks an archive for one kind of Mac, or has an empty one. Squirrel's apps on the other kind can get it.",
	} {
		if got := explain(release.App{Arch: arch}, silicon); got.Sentences[2] != want {
			t.Errorf("%q: %q", arch, got.Sentences)
		}
	}
	if got := explain(release.App{Arch: release.Arm64}, silicon); len(got.Sentences) != 4 || got.Sentences[3] != "The update of a Mac with Apple silicon is Fledge-arm64.zip." {
		t.Errorf("%q", got.Sentences)
	}
	silicon.Assets[0].SHA512 = ""
	if got := explain(release.App{Arch: release.Arm64}, silicon); got.Sentences[2] != "v2.0.0 has an archive for a Mac with Apple silicon whose checksum is not worked out yet." {
		t.Errorf("%q", got.Sentences)
	}
}

// TestAnExplanationIsOfWhatAppsAreOffered for any app and rollouts.
func TestAnExplanationIsOfWhatAppsAreOffered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var releases []release.Release
		for major, percent := range rapid.SliceOfN(rapid.IntRange(0, 100), 0, 5).Draw(t, "rollouts") {
			v := fmt.Sprintf("%d.0.0", major) + rapid.SampledFrom([]string{"", "-beta.1", "-alpha.1"}).Draw(t, "kind")
			r := feedable(release.Version(v), percent)
			r.Available = rapid.Bool().Draw(t, "available")
			releases = append(releases, r)
		}
		release.Sort(releases)
		app := release.App{
			StagingID: rapid.SampledFrom([]string{"", at(0), at(0x7fffffff), at(0xffffffff)}).Draw(t, "id"),
			Channel:   rapid.SampledFrom([]release.Channel{"", release.Beta, release.Alpha}).Draw(t, "channel"),
			Arch:      rapid.SampledFrom([]release.Arch{"", release.Arm64, release.X64}).Draw(t, "arch"),
			Installed: rapid.SampledFrom([]release.Version{"", "1.0.0", "3.0.0"}).Draw(t, "installed"),
		}
		u, _ := release.UpdateFor(releases, app)
		if got := release.Explain(releases, app); got.Offered != u.Release.Version {
			t.Fatalf("%+v is offered %q, and the explanation is of %q", app, u.Release.Version, got.Offered)
		}
	})
}
