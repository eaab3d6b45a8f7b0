package release_test

import (
	"strings"
	"testing"

	"fledge.dev/services/releases/internal/release"
)

// FuzzLatest has any tags and file names, a line each, and holds what is offered
// against what may be.
func FuzzLatest(f *testing.F) {
	for _, seed := range [][2]string{
		{"v1.9.0\nv1.10.0", "A-arm64.dmg\nA-x64.dmg"}, {"1.0.0-beta\n1.0.0", "A.dmg"}, {"latest\nv1", "x.zip"}, {"1.0.0+a\n1.0.0+b", "A-universal.dmg\nA-ARM64.DMG"}, {"v99999999999999999999.0.0", "a-arm64.dmg.blockmap"}, {"", ""},
	} {
		f.Add(seed[0], seed[1], byte(0xff))
		f.Add(seed[0], seed[1], byte(0b0110))
	}
	f.Fuzz(func(t *testing.T, tags, names string, available byte) {
		var all []release.Release
		taken := map[release.Version]bool{}
		for i, tag := range strings.Split(tags, "\n") {
			version, ok := release.ParseTag(tag)
			if !ok || taken[version] || i > 7 {
				continue
			}
			taken[version] = true
			all = append(all, made(version, available&(1<<i) != 0, strings.Split(names, "\n")...))
		}
		offers, _ := release.Latest(all, release.Stable)
		arches := map[release.Arch]bool{}
		for _, o := range offers {
			if !taken[o.Version] || o.Version.IsPrerelease() || o.Version != offers[0].Version || arches[o.Arch] || (o.Arch != release.Arm64 && o.Arch != release.X64) {
				t.Fatalf("offered %+v", offers)
			}
			arches[o.Arch] = true
			if !strings.HasSuffix(strings.ToLower(o.Asset.Name), ".dmg") || !strings.Contains("\n"+names+"\n", "\n"+o.Asset.Name+"\n") {
				t.Fatalf("%q is no disk image of the release", o.Asset.Name)
			}
			for _, r := range all {
				if r.OfferedOn(release.Stable) && r.Version.Compare(o.Version) > 0 {
					t.Fatalf("offered %s though there is %s", o.Version, r.Version)
				}
			}
		}
		release.Sort(all)
		if again, _ := release.Latest(all, release.Stable); len(again) != len(offers) {
			t.Fatalf("in another order %+v instead of %+v", again, offers)
		}
	})
}
