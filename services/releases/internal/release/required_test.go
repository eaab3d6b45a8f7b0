package release_test

import (
	"testing"

	"fledge.dev/services/releases/internal/release"
)

func TestARequiredReleaseIsTheMinimumWhileAllAreOfferedIt(t *testing.T) {
	required := func(v release.Version, percentage int) release.Release {
		r := feedable(v, percentage)
		r.Required = true
		return r
	}
	withdrawn, bare := required("1.5.0", 100), required("1.5.0", 100)
	withdrawn.Available, bare.Assets = false, bare.Assets[1:]
	for name, tc := range map[string]struct {
		channel release.Channel
		newest  release.Release
		want    release.Version
	}{
		"the newest":              {release.Stable, required("1.5.0", 100), "1.5.0"},
		"one that is not":         {release.Stable, feedable("1.5.0", 100), "1.0.0"},
		"not offered to all":      {release.Stable, required("1.5.0", 99), "1.0.0"},
		"withdrawn":               {release.Stable, withdrawn, "1.0.0"},
		"without a build":         {release.Stable, bare, "1.0.0"},
		"a beta, to stable apps":  {release.Stable, required("1.5.0-beta.1", 100), "1.0.0"},
		"a beta, to its own apps": {release.Beta, required("1.5.0-beta.1", 100), "1.5.0-beta.1"},
		"a stable one, to all":    {release.Alpha, required("1.5.0", 100), "1.5.0"},
	} {
		releases := []release.Release{tc.newest, required("1.0.0", 100), required("0.9.0", 100)}
		if got := release.Minimum(releases, tc.channel, ""); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		// Whoever has to update is offered a version that will do.
		if u, ok := release.UpdateFor(releases, release.App{Channel: tc.channel}); !ok || u.Release.Version.Compare(tc.want) < 0 {
			t.Errorf("%s: %q is offered", name, u.Release.Version)
		}
	}
	if got := release.Minimum([]release.Release{feedable("1.0.0", 100)}, release.Stable, ""); got != "" {
		t.Errorf("without a required release %q", got)
	}
	// A minimum is never above what an app is offered, whatever is newest.
	for name, newest := range map[string]release.Release{
		"withdrawn": withdrawn, "without a build": bare, "not offered to all": required("1.5.0", 99), "offered to none": required("1.5.0", 0), "a beta": required("1.5.0-beta.1", 100),
	} {
		releases := []release.Release{newest, required("1.0.0", 100)}
		for _, id := range []string{"", at(0), at(0xffffffff)} {
			u, ok := release.UpdateFor(releases, release.App{StagingID: id})
			if low := release.Minimum(releases, release.Stable, ""); !ok || u.Release.Version.Compare(low) < 0 {
				t.Errorf("%s: %q is offered, at least %q is needed", name, u.Release.Version, low)
			}
		}
		if u, ok := release.UpdateFor(releases, release.App{Installed: "2.0.0"}); ok {
			t.Errorf("%s: an app that is newer is offered %q", name, u.Release.Version)
		}
	}
	// An app with Squirrel names its architecture.
	if got := release.Minimum([]release.Release{bare, required("1.0.0", 100)}, release.Stable, release.X64); got != "1.5.0" {
		t.Errorf("for Intel, whose build is there: %q", got)
	}
}
