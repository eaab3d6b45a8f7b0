package release_test

import (
	"fmt"
	"strings"
	"testing"

	"fledge.dev/services/releases/internal/release"
)

func made(v release.Version, available bool, names ...string) release.Release {
	r := release.Release{Version: v, Available: available, Rollout: release.Rollout{Percentage: 100}, Prerelease: v.IsPrerelease()}
	for i, n := range names {
		r.Assets = append(r.Assets, release.Asset{GitHubID: int64(i + 1), Name: n})
	}
	return r
}

func offered(releases ...release.Release) string {
	var out []string
	offers, _ := release.Latest(releases, release.Stable)
	for _, o := range offers {
		out = append(out, fmt.Sprintf("%s=%s@%s", o.Arch, o.Asset.Name, o.Version))
	}
	return strings.Join(out, " ")
}

func TestLatestOffersTheNewestAvailableStableRelease(t *testing.T) {
	for name, tc := range map[string]struct {
		releases []release.Release
		want     string
	}{
		"nothing mirrored": {nil, ""},
		"nothing enabled":  {[]release.Release{made("1.0.0", false, "A.dmg")}, ""},
		"by number, not by text": {
			[]release.Release{made("1.9.0", true, "A-1.9.0-arm64.dmg"), made("1.10.0", true, "A-1.10.0-arm64.dmg")},
			"arm64=A-1.10.0-arm64.dmg@1.10.0",
		},
		"a disabled newer one is passed over": {
			[]release.Release{made("2.0.0", false, "B-arm64.dmg"), made("1.0.0", true, "A-arm64.dmg")},
			"arm64=A-arm64.dmg@1.0.0",
		},
		"an enabled prerelease is not offered": {
			[]release.Release{made("2.0.0-beta", true, "B-arm64.dmg"), made("1.0.0", true, "A-arm64.dmg")},
			"arm64=A-arm64.dmg@1.0.0",
		},
		"nor one that only GitHub marks": {
			[]release.Release{{Version: "2.0.0", Prerelease: true, Available: true, Rollout: release.Rollout{Percentage: 100}, Assets: []release.Asset{{Name: "B-arm64.dmg"}}}},
			"",
		},
		"no architecture from an older release": {
			[]release.Release{made("2.0.0", true, "B-arm64.dmg"), made("1.0.0", true, "A-arm64.dmg", "A-x64.dmg")},
			"arm64=B-arm64.dmg@2.0.0",
		},
		"one without a disk image, for updates alone, is passed over": {
			[]release.Release{made("2.0.0", true, "B-arm64-mac.zip"), made("1.0.0", true, "A-arm64.dmg")},
			"arm64=A-arm64.dmg@1.0.0",
		},
		"only an Intel build":  {[]release.Release{made("1.0.0", true, "A-x64.dmg")}, "x64=A-x64.dmg@1.0.0"},
		"no disk image at all": {[]release.Release{made("1.0.0", true, "A-arm64-mac.zip", "latest-mac.yml")}, ""},
	} {
		if got := offered(tc.releases...); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// TestLatestIsOfAChannel: the newest release that is on it or on one that is more stable.
func TestLatestIsOfAChannel(t *testing.T) {
	stable, beta, alpha := made("1.0.0", true, "A.dmg"), made("1.1.0-beta.1", true, "B.dmg"), made("1.2.0-alpha.1", true, "C.dmg")
	newer := made("1.1.0", true, "D.dmg")
	for name, tc := range map[string]struct {
		releases   []release.Release
		channel    release.Channel
		version    release.Version
		prerelease bool
	}{
		"stable":                     {[]release.Release{alpha, beta, stable}, release.Stable, "1.0.0", false},
		"beta":                       {[]release.Release{alpha, beta, stable}, release.Beta, "1.1.0-beta.1", true},
		"alpha in capitals":          {[]release.Release{made("1.2.0-Alpha.1", true, "E.dmg"), beta, stable}, release.Beta, "1.1.0-beta.1", true},
		"alpha":                      {[]release.Release{alpha, beta, stable}, release.Alpha, "1.2.0-alpha.1", true},
		"a stable one that is newer": {[]release.Release{beta, newer, stable}, release.Beta, "1.1.0", false},
	} {
		offers, prerelease := release.Latest(tc.releases, tc.channel)
		if len(offers) != 1 || offers[0].Version != tc.version || prerelease != tc.prerelease {
			t.Errorf("%s: %+v, prerelease %t", name, offers, prerelease)
		}
	}
}

func TestLatestTellsArchitecturesByName(t *testing.T) {
	for names, want := range map[string]string{
		"A-arm64.dmg A-x64.dmg":                "arm64=A-arm64.dmg x64=A-x64.dmg",
		"A-1.0.0-arm64.dmg A-1.0.0.dmg":        "arm64=A-1.0.0-arm64.dmg x64=A-1.0.0.dmg",
		"A_aarch64.dmg A_x86_64.dmg":           "arm64=A_aarch64.dmg x64=A_x86_64.dmg",
		"A-ARM64.DMG A-Intel.DMG":              "arm64=A-ARM64.DMG x64=A-Intel.DMG",
		"AArm64.dmg":                           "arm64=AArm64.dmg",
		"A-universal.dmg":                      "arm64=A-universal.dmg x64=A-universal.dmg",
		"A-universal.dmg A-arm64.dmg":          "arm64=A-arm64.dmg x64=A-universal.dmg",
		"A.dmg A-universal.dmg":                "arm64=A-universal.dmg x64=A-universal.dmg",
		"A.dmg A-x64.dmg":                      "x64=A-x64.dmg",
		"A-x64.dmg A.dmg":                      "x64=A-x64.dmg",
		"A-x64.dmg 2-A-x64.dmg":                "x64=2-A-x64.dmg",
		"A-arm64.dmg.blockmap A-arm64-mac.zip": "",
		"A-arm64.dmg A-arm64-debug.dmg":        "arm64=A-arm64.dmg",
	} {
		got := strings.ReplaceAll(offered(made("1.0.0", true, strings.Fields(names)...)), "@1.0.0", "")
		if got != want {
			t.Errorf("%s: got %q, want %q", names, got, want)
		}
	}
}

func TestDownloadCountIsOfBuilds(t *testing.T) {
	r := release.Release{Assets: []release.Asset{
		{Name: "A-arm64.dmg", DownloadCount: 7}, {Name: "A-mac.zip", DownloadCount: 5},
		{Name: "latest-mac.yml", DownloadCount: 1000}, {Name: "A-mac.zip.blockmap", DownloadCount: 100}, {Name: "A-win.zip", DownloadCount: 50},
	}}
	if got := r.DownloadCount(); got != 12 {
		t.Errorf("got %d, want 12", got)
	}
}
