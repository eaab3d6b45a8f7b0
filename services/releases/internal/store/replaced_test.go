package store_test

import (
	"slices"
	"testing"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
)

// TestOtherBytesNeedAnotherDecision: whoever enabled a release has not seen files that were
// uploaded later under the same names.
func TestOtherBytesNeedAnotherDecision(t *testing.T) {
	uploaded := func(id int64, digest string) release.Release {
		r := made(1, "1.0.0", "a.zip", "a.dmg", "latest-mac.yml")
		r.Assets[0].GitHubID, r.Assets[0].Digest = id, digest
		return r
	}
	without := made(1, "1.0.0", "a.dmg")
	without.Assets[0].GitHubID = 101
	feed := made(1, "1.0.0", "a.zip", "a.dmg", "latest-mac.yml")
	symbols := made(1, "1.0.0", "a.zip", "a.dmg", "latest-mac.yml", "a-dSYMs.zip")
	windows := made(1, "1.0.0", "a.zip", "a.dmg", "latest-mac.yml", "a-win.zip")
	feed.Assets[2].GitHubID, feed.Assets[2].Digest = 999, "sha256:ff"
	renamed := made(1, "1.0.0", "a.zip", "a.dmg", "latest-mac.yml", "b.zip")
	silicon := made(1, "1.0.0", "a.zip", "a.dmg", "latest-mac.yml", "a-arm64.zip")
	gone := made(1, "1.0.0", "b.zip", "a.dmg", "latest-mac.yml")
	gone.Assets[0].GitHubID = 999
	same := uploaded(100, "sha256:ab")
	same.Assets[0].Name = "b.zip"
	changed := uploaded(100, "sha256:ff")
	changed.Assets[0].Name = "b.zip"
	after := uploaded(150, "sha256:ff")
	after.Assets[0].Name = "b.zip"
	for name, tc := range map[string]struct {
		seen     []release.Release
		replaced bool
	}{
		"nothing changes":                        {[]release.Release{uploaded(100, "sha256:ab")}, false},
		"the same bytes again":                   {[]release.Release{uploaded(150, "sha256:ab")}, false},
		"other bytes":                            {[]release.Release{uploaded(150, "sha256:ff")}, true},
		"another upload without a digest":        {[]release.Release{uploaded(150, "")}, true},
		"other bytes after the file was away":    {[]release.Release{without, uploaded(150, "sha256:ff")}, true},
		"the same bytes after the file was away": {[]release.Release{without, uploaded(150, "sha256:ab")}, false},
		"a feed, which is no build":              {[]release.Release{feed}, false},
		"symbols":                                {[]release.Release{symbols}, false},
		"a build for another system":             {[]release.Release{windows}, false},
		"a build for other Macs":                 {[]release.Release{silicon}, false},
		"a later build under another name":       {[]release.Release{renamed}, true},
		"a build under another name instead":     {[]release.Release{gone}, true},
		"the same upload under another name":     {[]release.Release{same, same}, false},
		"its name back":                          {[]release.Release{same, uploaded(100, "sha256:ab")}, false},
		"other bytes under the other name":       {[]release.Release{changed}, true},
		"other bytes after another name":         {[]release.Release{same, after}, true},
		"one of two builds goes":                 {[]release.Release{silicon, made(1, "1.0.0", "a.zip", "latest-mac.yml")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := open(t)
			apply(t, s, true, uploaded(100, "sha256:ab"))
			if _, _, err := s.SetAvailability(audittest.As(t.Context()), 1, "1.0.0", true); err != nil {
				t.Fatal(err)
			}
			var told []release.Version
			for _, r := range tc.seen {
				withdrawn, err := s.Apply(t.Context(), mirror.Run{Repository: repository}, mirror.Listing{Releases: []release.Release{r}, Complete: true}, false)
				errtest.None(t, err)
				told = append(told, withdrawn.Replaced...)
			}
			releases, err := s.Releases(t.Context())
			r := one(t, releases, err)
			if r.Available == tc.replaced || (r.ReplacedAt != nil) != tc.replaced || slices.Contains(told, "1.0.0") != tc.replaced {
				t.Fatalf("available %t, replaced at %v, told of %q", r.Available, r.ReplacedAt, told)
			}
			// What is there now is what staff see when they enable it.
			if _, _, err := s.SetAvailability(audittest.As(t.Context()), 1, "1.0.0", true); err != nil {
				t.Fatal(err)
			}
			apply(t, s, true, tc.seen[len(tc.seen)-1])
			releases, err = s.Releases(t.Context())
			if r := one(t, releases, err); !r.Available || r.ReplacedAt != nil {
				t.Errorf("after it was enabled again: available %t, replaced at %v", r.Available, r.ReplacedAt)
			}
		})
	}
}

// TestABuildThatCameLaterDoesNotTakeOver when that which was decided on goes, however long it was
// there before.
func TestABuildThatCameLaterDoesNotTakeOver(t *testing.T) {
	for name, tc := range map[string]struct {
		decided  []string
		later    [][]string
		replaced bool
	}{
		"a universal build after its own":     {[]string{"a-arm64.zip"}, [][]string{{"a-arm64.zip", "b-universal.zip"}, {"b-universal.zip"}}, true},
		"the same for both kinds of Mac":      {[]string{"a-arm64.zip", "a-x64.zip"}, [][]string{{"a-arm64.zip", "a-x64.zip", "b-universal.zip"}, {"a-arm64.zip", "b-universal.zip"}}, true},
		"a build that names no kind":          {[]string{"a-x64.dmg"}, [][]string{{"a-x64.dmg", "b.dmg"}, {"b.dmg"}}, true},
		"a universal build that was there":    {[]string{"a-arm64.zip", "b-universal.zip"}, [][]string{{"b-universal.zip"}}, false},
		"it goes again":                       {[]string{"a-arm64.zip"}, [][]string{{"a-arm64.zip", "b-universal.zip"}, {"a-arm64.zip"}}, false},
		"one for other Macs, and another one": {[]string{"a-arm64.zip"}, [][]string{{"a-arm64.zip", "b-x64.zip"}, {"a-arm64.zip", "b-x64.zip", "c-x64.zip"}}, true},
		"the first builds":                    {nil, [][]string{{"a-arm64.zip"}, {"a-arm64.zip", "a-x64.zip"}}, false},
	} {
		for _, initially := range []bool{true, false} {
			s, _ := open(t)
			// The numbers are those of the names, so that each file is one upload.
			uploaded := func(names []string) release.Release {
				r := made(1, "1.0.0", names...)
				for i, asset := range r.Assets {
					r.Assets[i].GitHubID = int64(asset.Name[0])*100 + int64(len(asset.Name))
				}
				return r
			}
			listing := func(names []string) mirror.Listing {
				return mirror.Listing{Releases: []release.Release{uploaded(names)}, Complete: true}
			}
			if _, err := s.Apply(t.Context(), mirror.Run{Repository: repository}, listing(tc.decided), initially); err != nil {
				t.Fatal(err)
			}
			if _, changed, err := s.SetAvailability(audittest.As(t.Context()), 1, "1.0.0", true); err != nil || changed == initially {
				t.Fatal(changed, err)
			}
			for i, names := range tc.later {
				withdrawn, err := s.Apply(t.Context(), mirror.Run{Repository: repository}, listing(names), initially)
				if want := tc.replaced && i == len(tc.later)-1; err != nil || (len(withdrawn.Replaced) > 0) != want {
					t.Errorf("%s (initially available: %t), step %d: replaced %q, %v", name, initially, i+1, withdrawn.Replaced, err)
				}
			}
		}
	}
}

// TestFilesThatAreNoBuildsAreNotCompared, also those that are known as builds from before.
func TestFilesThatAreNoBuildsAreNotCompared(t *testing.T) {
	for _, file := range []string{"a-win.zip", "Windows.zip", "a_dSYM.zip", "debug.dmg", "a.exe"} {
		s, pool := open(t)
		uploaded := made(1, "1.0.0", "darwin.zip", file)
		apply(t, s, true, uploaded)
		if _, _, err := s.SetAvailability(audittest.As(t.Context()), 1, "1.0.0", true); err != nil {
			t.Fatal(err)
		}
		var known string
		if err := pool.QueryRow(t.Context(), "SELECT string_agg(name, ' ') FROM offered_builds").Scan(&known); err != nil || known != "darwin.zip" {
			t.Errorf("%s: builds are %q, %v", file, known, err)
		}
		if _, err := pool.Exec(t.Context(), "INSERT INTO offered_builds (version, name, github_id, digest) VALUES ('1.0.0', $1, 101, 'sha256:ab')", file); err != nil {
			t.Fatal(err)
		}
		uploaded.Assets[1].GitHubID, uploaded.Assets[1].Digest = 999, "sha256:ff"
		withdrawn, err := s.Apply(t.Context(), mirror.Run{Repository: repository}, mirror.Listing{Releases: []release.Release{uploaded}, Complete: true}, false)
		if err != nil || len(withdrawn.Replaced) > 0 {
			t.Errorf("%s: withdrawn %+v, %v", file, withdrawn, err)
		}
	}
}
