package release_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/releases/internal/release"
)

func TestParseTag(t *testing.T) {
	for tag, want := range map[string]release.Version{
		"v1.2.3":                          "1.2.3",
		"1.2.3":                           "1.2.3",
		"v0.0.0":                          "0.0.0",
		"v1.10.0":                         "1.10.0",
		"v1.0.0-beta":                     "1.0.0-beta",
		"v1.2.0-beta.11":                  "1.2.0-beta.11",
		"v1.2.3-rc.1+build.5":             "1.2.3-rc.1+build.5",
		"v1.2.3+20260101":                 "1.2.3+20260101",
		"v9007199254740991.0.0":           "9007199254740991.0.0",
		"v9007199254740992.0.0":           "",
		"v1.0.20260101120000123":          "",
		"v1.0.20260101120000123-beta":     "",
		"v1.0.0-20260101120000123":        "1.0.0-20260101120000123", // electron-updater takes it for a word
		"latest":                          "",
		"":                                "",
		"v":                               "",
		"v1":                              "",
		"v1.2":                            "",
		"v1.2.3.4":                        "",
		"vv1.2.3":                         "",
		"V1.2.3":                          "",
		"v01.2.3":                         "",
		"v1.2.3-01":                       "",
		"v1.2-beta":                       "",
		"v1.2.3-":                         "",
		"v-1.2.3":                         "",
		"v1.2.3+":                         "",
		"v1.2.3-beta..1":                  "",
		"v1.2.3-beta_1":                   "",
		"v1.2.3+a+b":                      "",
		"v１.2.3":                          "",
		"1,2,3":                           "",
		"refs/tags/v1.2.3":                "",
		"v1.2.3-BETA.1":                   "1.2.3-BETA.1",
		"v1.2.3--":                        "1.2.3--",
		"v0.0.0-0":                        "0.0.0-0",
		"release-1.2.3":                   "",
		" v1.2.3":                         "",
		"v1.2.3\n":                        "",
		"v1.2.3/../../etc":                "",
		"v1.2.3-béta":                     "",
		"v1.2.3\x00":                      "",
		"v1.2." + strings.Repeat("9", 80): "",
	} {
		got, ok := release.ParseTag(tag)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t; want %q", tag, got, ok, want)
		}
	}
}

func TestVersionsCompareByPrecedence(t *testing.T) {
	// From semver.org, section 11, with the trap of text order added.
	ascending := []release.Version{
		"0.9.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
		"1.0.0-rc.1", "1.0.0", "1.2.0", "1.9.0", "1.10.0-beta", "1.10.0", "1.11.0", "2.0.0", "10.0.0",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			got := a.Compare(b)
			if want := compare(i, j); sign(got) != want {
				t.Errorf("%s against %s: got %d, want %d", a, b, got, want)
			}
		}
	}
	if release.Version("1.0.0+a").Compare("1.0.0+b") != 0 {
		t.Error("build metadata must not count")
	}
}

func TestPrerelease(t *testing.T) {
	for v, want := range map[release.Version]bool{"1.0.0": false, "1.0.0+b-1": false, "1.0.0-beta": true, "1.0.0-0+b": true} {
		if v.IsPrerelease() != want {
			t.Errorf("%s: got %t", v, !want)
		}
	}
}

func TestSortPutsTheNewestVersionFirst(t *testing.T) {
	want := []release.Version{"1.10.0", "1.10.0-beta", "1.9.0", "1.0.0"}
	var releases []release.Release
	for _, v := range want {
		releases = append(releases, release.Release{Version: v})
	}
	rand.Shuffle(len(releases), func(i, j int) { releases[i], releases[j] = releases[j], releases[i] })
	release.Sort(releases)
	var got []release.Version
	for _, r := range releases {
		got = append(got, r.Version)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzParseTag(f *testing.F) {
	for _, seed := range []string{"v1.2.3", "latest", "v1.2.3-rc.1+b", "v01.2.3", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		v, ok := release.ParseTag(tag)
		if !ok {
			return
		}
		again, ok := release.ParseTag("v" + string(v))
		if !ok || again != v || v.Compare(again) != 0 || strings.ContainsAny(string(v), "/ \r\n\x00") {
			t.Fatalf("%q gave %q, which gave %q", tag, v, again)
		}
	})
}

func compare(i, j int) int { return sign(i - j) }

func sign(n int) int { return min(1, max(-1, n)) }
