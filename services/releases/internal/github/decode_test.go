package github_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestWhatIsKeptOfAList that holds all that GitHub's can.
func TestWhatIsKeptOfAList(t *testing.T) {
	const host = "https://github.com/fledge/fledge-mac/releases/download/"
	release := func(id int, tag, published string, assets ...string) string {
		return fmt.Sprintf(`{"id":%d,"tag_name":%q,"published_at":%s,"created_at":"2026-01-01T00:00:00Z","assets":[%s]}`, id, tag, published, strings.Join(assets, ","))
	}
	asset := func(id int, name, state string, size int, path string) string {
		return fmt.Sprintf(`{"id":%d,"name":%q,"state":%q,"size":%d,"browser_download_url":%q}`, id, name, state, size, host+path)
	}
	const early, late = `"2026-01-02T00:00:00Z"`, `"2026-01-03T00:00:00Z"`
	for name, tc := range map[string]struct {
		list    []string
		kept    string // each release's id, version and files
		skipped string
	}{
		"two tags of one version":             {[]string{release(1, "v1.0.0", early), release(2, "1.0.0", late)}, "2 1.0.0", "version 1.0.0 exists twice"},
		"published at the same time":          {[]string{release(2, "1.0.0", early), release(1, "v1.0.0", early)}, "2 1.0.0", "version 1.0.0 exists twice"},
		"never published":                     {[]string{release(2, "1.0.0", "null"), release(1, "v1.0.0", early)}, "1 1.0.0", "version 1.0.0 exists twice"},
		"builds of one version":               {[]string{release(2, "v1.0.0+6", late), release(1, "v1.0.0+5", early)}, "2 1.0.0+6, 1 1.0.0+5", ""},
		"a draft takes no version":            {[]string{strings.Replace(release(2, "v1.0.0", "null"), `{`, `{"draft":true,`, 1), release(1, "1.0.0", early)}, "1 1.0.0", ""},
		"a release without an id":             {[]string{release(0, "v1.0.0", late), release(1, "1.0.0", early)}, "1 1.0.0", "release 1.0.0 has no id"},
		"a tag of words":                      {[]string{release(1, "release/1.0.0", early), release(2, "v1.0.0 ", early), release(3, "V1.0.0", early)}, "", `"V1.0.0" is not a semantic version`},
		"a prerelease in capitals":            {[]string{release(1, "v1.0.0-RC.1", early)}, "1 1.0.0-RC.1", ""},
		"an upload that has not ended":        {[]string{release(1, "v1.0.0", early, asset(7, "F.dmg", "starter", 0, "F.dmg"), asset(8, "F.zip", "open", 9, "F.zip"))}, "1 1.0.0", `state "open"`},
		"a file without bytes":                {[]string{release(1, "v1.0.0", early, asset(7, "F.dmg", "uploaded", 0, "F.dmg"), asset(8, "F.zip", "uploaded", -1, "F.zip"))}, "1 1.0.0", "asset 7: empty"},
		"a file without an id":                {[]string{release(1, "v1.0.0", early, asset(0, "F.dmg", "uploaded", 9, "F.dmg"), asset(-7, "F.zip", "uploaded", 9, "F.zip"))}, "1 1.0.0", `asset "F.dmg" has no id`},
		"a file that was deleted":             {[]string{release(1, "v1.0.0", early, "null", asset(7, "F.dmg", "uploaded", 9, "F.dmg"))}, "1 1.0.0 7=F.dmg", "state"},
		"names that differ in case":           {[]string{release(1, "v1.0.0", early, asset(7, "F.dmg", "uploaded", 9, "F.dmg"), asset(8, "f.DMG", "uploaded", 9, "f.DMG"))}, "1 1.0.0 7=F.dmg 8=f.DMG", ""},
		"names with spaces and signs":         {[]string{release(1, "v1.0.0", early, asset(7, "My F #1.dmg", "uploaded", 9, "My%20F%20%231.dmg"), asset(8, "My F-#1.dmg", "uploaded", 9, "x"))}, "1 1.0.0 7=My-F--1.dmg 8=8-My-F--1.dmg", ""},
		"an address with a bare sign":         {[]string{release(1, "v1.0.0", early, asset(7, "F#1.dmg", "uploaded", 9, "F#1.dmg"))}, "1 1.0.0", "is not on an allowed host"},
		"in the order of their upload":        {[]string{release(1, "v1.0.0", early, asset(9, "F.dmg", "uploaded", 9, "F.dmg"), asset(7, "F.dmg", "uploaded", 9, "F.dmg"))}, "1 1.0.0 7=F.dmg 9=9-F.dmg", ""},
		"a release that is in the list twice": {[]string{release(1, "v1.0.0", early), release(1, "v1.0.0", early)}, "1 1.0.0", ""},
	} {
		got, err := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, []byte("["+strings.Join(tc.list, ",")+"]"))
		}).List(t.Context(), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var kept []string
		for _, r := range got.Releases {
			line := fmt.Sprintf("%d %s", r.GitHubID, r.Version)
			for _, a := range r.Assets {
				line += fmt.Sprintf(" %d=%s", a.GitHubID, a.Name)
			}
			kept = append(kept, line)
		}
		if have := strings.Join(kept, ", "); have != tc.kept {
			t.Errorf("%s: %q, want %q", name, have, tc.kept)
		}
		if skipped := strings.Join(got.Skipped, "\n"); !strings.Contains(skipped, tc.skipped) || tc.skipped == "" && skipped != "" {
			t.Errorf("%s: skipped %q, want %q", name, skipped, tc.skipped)
		}
	}
}
