package release_test

import (
	"strings"
	"testing"

	"fledge.dev/services/releases/internal/release"
)

// TestFilesOfOtherSystemsAreNoBuilds, which were uploaded after the Mac's here and would be chosen.
func TestFilesOfOtherSystemsAreNoBuilds(t *testing.T) {
	for _, name := range []string{
		"A-win.zip", "A-1.0.0-x64-win.zip", "A-1.0.0-arm64-win.zip", "A-win32-x64.zip", "A_Windows.zip", "A-linux-x64.zip", "A-1.0.0-arm64-linux.zip",
		"A-arm64-dSYMs.zip", "A.app.dSYM.zip", "A-arm64-symbols.zip", "A-x64-DEBUG.zip",
	} {
		asset := release.Asset{Name: name, Size: 1}
		if asset.Arch() != release.Other || asset.NeedsChecksum() {
			t.Errorf("%s is a build for %s", name, asset.Arch())
		}
		decided := made("1.0.0", true, "A-arm64-mac.zip", "A-mac.zip", "A-arm64.zip", "A.zip")
		now := made("1.0.0", true, "A-arm64-mac.zip", "A-mac.zip", "A-arm64.zip", "A.zip", name)
		if now.Supersedes(decided, decided) {
			t.Errorf("%s is chosen instead of a Mac's", name)
		}
	}
	for _, name := range []string{"A-darwin-arm64.zip", "Windermere-arm64.zip", "Debugger-arm64.zip", "A-Twin-arm64.zip"} {
		if arch := (release.Asset{Name: name}).Arch(); arch != release.Arm64 {
			t.Errorf("%s is for %s", name, arch)
		}
	}
}

// TestAFileThatNamesTheMacIsChosen before one that names no system.
func TestAFileThatNamesTheMacIsChosen(t *testing.T) {
	for names, want := range map[string]string{
		"A-mac.zip A-x64.zip":                 "A-mac.zip",
		"A-x64.zip A-mac.zip":                 "A-mac.zip",
		"A-universal-mac.zip A-x64.zip":       "A-universal-mac.zip",
		"A-macOS.zip A-universal.zip":         "A-macOS.zip",
		"A-osx-x64.zip A-mac.zip":             "A-osx-x64.zip",
		"A-machine-x64.zip A-darwin.zip":      "A-darwin.zip",
		"A-arm64-mac.zip A-x64.zip A.app.zip": "A-x64.zip",
	} {
		r := made("1.0.0", true, strings.Fields(names)...)
		for i := range r.Assets {
			r.Assets[i].Size, r.Assets[i].SHA512 = 1, "known"
		}
		if got := updateFor(release.App{Arch: release.X64}, r); got != "1.0.0 "+want {
			t.Errorf("%s: %s, want %s", names, got, want)
		}
	}
}
