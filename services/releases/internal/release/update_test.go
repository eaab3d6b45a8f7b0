package release_test

import (
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/releases/internal/release"
)

func TestUpdatesNeedFilesThatEveryMacReadsRight(t *testing.T) {
	for names, want := range map[string]string{
		"A-arm64-mac.zip A-x64-mac.zip":              "A-arm64-mac.zip A-x64-mac.zip",
		"A-x64-mac.zip A-arm64-mac.zip":              "A-arm64-mac.zip A-x64-mac.zip",
		"A-1.0.0-arm64-mac.zip A-1.0.0-mac.zip":      "A-1.0.0-arm64-mac.zip A-1.0.0-mac.zip",
		"A-universal-mac.zip":                        "A-universal-mac.zip",
		"A-universal-mac.zip A-arm64-mac.zip":        "A-arm64-mac.zip A-universal-mac.zip",
		"A-universal-mac.zip A-x64-mac.zip":          "A-universal-mac.zip A-x64-mac.zip",
		"A-arm64-mac.zip":                            "", // Intel finds no file
		"A-x64-mac.zip":                              "",
		"A-aarch64-mac.zip A-x64-mac.zip":            "A-aarch64-mac.zip A-x64-mac.zip", // Intel finds its own name
		"A-aarch64-mac.zip A-mac.zip":                "",                                // Intel would take the first
		"A-ARM64-mac.zip A-mac.zip":                  "",
		"A-arm64.dmg A-x64.dmg":                      "",
		"A-arm64-mac.zip.blockmap A-x64.zip":         "",
		"A-arm64-mac.zip A-x64-mac.zip A-x64-2.zip":  "A-arm64-mac.zip A-x64-mac.zip", // the last may be for another system
		"A-arm64.zip A-x64.zip A-x64-2.zip":          "A-arm64.zip A-x64-2.zip",
		"A-arm64-mac.zip A-mac.zip A-x64.zip":        "A-arm64-mac.zip A-mac.zip",
		"A-darwin-arm64-1.zip A-darwin-x64-1.zip":    "A-darwin-arm64-1.zip A-darwin-x64-1.zip",
		"A-arm64-mac.zip A-x64-mac.zip A-linux-.zip": "A-arm64-mac.zip A-x64-mac.zip",
	} {
		r := made("1.0.0", true, strings.Fields(names)...)
		for i := range r.Assets {
			r.Assets[i].Size, r.Assets[i].SHA512 = 1, "sum"
		}
		got := strings.TrimPrefix(strings.TrimPrefix(updateFor(release.App{}, r), "1.0.0"), " ")
		if got != want {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
	}
	// The client looks for the architecture in the whole path.
	if got := updateFor(release.App{}, feedable("1.0.0+arm64", 100)); got != "" {
		t.Errorf("a version that names an architecture is offered: %s", got)
	}
}

func TestUpdatesNeedChecksumsAndSizes(t *testing.T) {
	for name, spoil := range map[string]func(*release.Asset){
		"no checksum": func(a *release.Asset) { a.SHA512 = "" },
		"no size":     func(a *release.Asset) { a.Size = 0 },
	} {
		for i := range 2 {
			r := feedable("2.0.0", 100)
			spoil(&r.Assets[i])
			if got := updateFor(release.App{}, r, feedable("1.0.0", 100)); !strings.HasPrefix(got, "1.0.0") {
				t.Errorf("%s of file %d: %q", name, i, got)
			}
		}
	}
}

func TestAnAppIsOfferedTheNewestOfItsChannel(t *testing.T) {
	marked := feedable("1.3.0", 100)
	marked.Prerelease = true // by GitHub's flag alone
	releases := []release.Release{feedable("1.4.0-alpha.1", 100), marked, feedable("1.2.0-rc.1", 100), feedable("1.1.0", 100)}
	for _, tc := range []struct {
		channel release.Channel
		hidden  int // of the newest
		want    string
	}{
		{"", 0, "1.1.0"}, {release.Stable, 0, "1.1.0"}, {release.Beta, 0, "1.3.0"}, {release.Alpha, 0, "1.4.0-alpha.1"},
		{release.Alpha, 1, "1.3.0"}, {release.Beta, 2, "1.2.0-rc.1"}, {release.Beta, 3, "1.1.0"}, {release.Alpha, 3, "1.1.0"},
	} {
		got, _, _ := strings.Cut(updateFor(release.App{Channel: tc.channel}, slices.Clone(releases[tc.hidden:])...), " ")
		if got != tc.want {
			t.Errorf("%q without %d: %s, want %s", tc.channel, tc.hidden, got, tc.want)
		}
		steps := release.Steps(releases[tc.hidden:], tc.channel)
		if len(steps) != 1 || string(steps[0].Release.Version) != tc.want {
			t.Errorf("%q without %d: steps %v", tc.channel, tc.hidden, steps)
		}
	}
}

func TestSquirrelIsToldOfNewerVersionsAlone(t *testing.T) {
	bare := made("2.0.0", true, "A-arm64-mac.zip") // which electron-updater is not offered
	bare.Assets[0].Size, bare.Assets[0].SHA512 = 1, "known"
	unread := made("3.0.0", true, "A-arm64-mac.zip") // whose bytes nobody has compared with GitHub's digest
	unread.Assets[0].Size = 1
	for _, tc := range []struct {
		arch      release.Arch
		installed release.Version
		want      string
	}{
		{release.Arm64, "1.9.9", "2.0.0 A-arm64-mac.zip"},
		{release.Arm64, "2.0.0-beta.1", "2.0.0 A-arm64-mac.zip"},
		{release.Arm64, "2.0.0", ""},
		{release.Arm64, "2.0.0+build5", ""},
		{release.Arm64, "10.0.0", ""},
		{release.X64, "0.9.0", "1.0.0 A-1.0.0-x64-mac.zip"},
		{release.X64, "1.0.0", ""},
	} {
		if got := updateFor(release.App{Arch: tc.arch, Installed: tc.installed}, unread, bare, feedable("1.0.0", 100)); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.arch, tc.installed, got, tc.want)
		}
	}
}

// TestCurrentFilesAreThoseThatSomebodyIsSentTo by a button or a feed, and their block maps.
func TestCurrentFilesAreThoseThatSomebodyIsSentTo(t *testing.T) {
	images := made("2.0.0", true, "A-arm64.dmg", "A-arm64-old.zip")
	squirrels := made("1.5.0", true, "B-arm64-mac.zip")
	squirrels.Assets[0].Size, squirrels.Assets[0].SHA512 = 1, "known"
	beta := made("2.1.0-beta.1", true, "C-x64.dmg")
	releases := []release.Release{beta, images, squirrels, feedable("1.1.0", 20), feedable("1.0.0", 100), feedable("0.9.0", 100)}
	for file, want := range map[string]bool{
		"2.0.0 A-arm64.dmg": true, "2.0.0 A-arm64.dmg.blockmap": true, "2.0.0 A-arm64-old.zip": false, "1.5.0 A-arm64.dmg": false,
		"2.1.0-beta.1 C-x64.dmg": true, "1.5.0 B-arm64-mac.zip": true, "1.1.0 A-1.1.0-arm64-mac.zip": true,
		"1.0.0 A-1.0.0-x64-mac.zip.blockmap": true, "1.0.0 latest-mac.yml": false, "0.9.0 A-0.9.0-x64-mac.zip": false,
	} {
		version, name, _ := strings.Cut(file, " ")
		if got := release.Current(releases)[release.File{Version: release.Version(version), Name: name}]; got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}

func TestNotes(t *testing.T) {
	for body, want := range map[string]string{
		"# New\r\n\r\n- a\tb\r\n":         "# New\n\n- a\tb",
		"\u202e<script>\x00alert\x1b[31m": "<script>alert[31m",
		"bad\xffbytes":                    "badbytes",
		"":                                "",
		// As GitHub generates them, and with what a team tells itself.
		"<!-- Release notes generated using configuration in .github/release.yml at v2.0.0 -->\n\n## What's Changed\n* Exports": "## What's Changed\n* Exports",
		"Faster.<!-- not\n\na word about --> Safer.\n<!---->\n-->\n<!-- open":                                                   "Faster. Safer.\n\n-->\n<!-- open",
		strings.Repeat("ü", 100_000): strings.Repeat("ü", 3999) + "…",
	} {
		if got := release.Notes(body); got != want {
			t.Errorf("%.30q: got %.60q, want %.60q", body, got, want)
		}
	}
}
