package release_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"fledge.dev/services/releases/internal/release"
)

func TestFilename(t *testing.T) {
	for name, want := range map[string]string{
		"Fledge-1.1.0-arm64.dmg":          "Fledge-1.1.0-arm64.dmg",
		"Fledge-1.0.0+5-arm64.dmg":        "Fledge-1.0.0+5-arm64.dmg",
		"../../etc/passwd":                "etc-passwd",
		"..%2f..%2fx.dmg":                 "2f.-2fx.dmg",
		`a".dmg`:                          "a-.dmg",
		"a\r\nSet-Cookie: x=1.dmg":        "a--Set-Cookie--x-1.dmg",
		".htaccess":                       "htaccess",
		"-rf.dmg":                         "rf.dmg",
		"Flügge 1.0.dmg":                  "Fl-gge-1.0.dmg",
		"My Fledge #1 (final).dmg":        "My-Fledge--1--final-.dmg",
		"Fledge%20arm64.dmg":              "Fledge-20arm64.dmg",
		"Fledge?arm64&x=1.dmg":            "Fledge-arm64-x-1.dmg",
		" Fledge.dmg ":                    "Fledge.dmg",
		"Fledge.dmg\u00a0":                "Fledge.dmg",
		"FLEDGE.DMG":                      "FLEDGE.DMG",
		"a\x00b.dmg":                      "a-b.dmg",
		"\u202egmd.exe":                   "gmd.exe",
		"":                                "asset-7",
		"///":                             "asset-7",
		strings.Repeat("a", 300) + ".dmg": strings.Repeat("a", 124) + ".dmg",
		"a." + strings.Repeat("b", 300):   "a." + strings.Repeat("b", 126),
	} {
		if got := release.Filename(name, 7); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for name, want := range map[string]string{
		"Fledge 1.1.0":               "Fledge 1.1.0",
		"  Fledge \t\r\n 1.1.0 ":     "Fledge 1.1.0",
		"":                           "1.1.0",
		"\u202e\u200b\x00":           "1.1.0",
		"\u202e0.1.1 egdelF":         "0.1.1 egdelF",
		"<script>alert(1)</script>":  "<script>alert(1)</script>",
		"bad\xffbytes":               "badbytes",
		"Für Künstler 🎨":             "Für Künstler 🎨",
		"👩\u200d💻 می\u200cخواهم":     "👩\u200d💻 می\u200cخواهم",
		"\u200d \u200c":              "1.1.0",
		strings.Repeat("ü", 100_000): strings.Repeat("ü", 119) + "…",
	} {
		if got := release.Title(name, "1.1.0"); got != want {
			t.Errorf("%.40q: got %q, want %q", name, got, want)
		}
	}
}

func TestNamesThatCollideStayApart(t *testing.T) {
	named := func(names ...string) (assets []release.Asset) {
		for i, name := range names {
			assets = append(assets, release.Asset{GitHubID: int64(i + 1), Name: name})
		}
		return assets
	}
	for _, tc := range []struct{ given, want []release.Asset }{
		{named("a-.dmg", "a-.dmg", "b.dmg"), named("a-.dmg", "2-a-.dmg", "b.dmg")},
		{named("a.dmg", "A.dmg", "a.DMG"), named("a.dmg", "A.dmg", "a.DMG")},
		{named("3-a.dmg", "a.dmg", "a.dmg"), named("3-a.dmg", "a.dmg", "3-2-a.dmg")},
		{named("3-a.dmg", "a.dmg", "a.dmg", "3-2-a.dmg"), named("3-a.dmg", "a.dmg", "3-2-a.dmg", "4-3-2-a.dmg")},
	} {
		if release.UniqueNames(tc.given); !slices.Equal(tc.given, tc.want) {
			t.Errorf("got %+v, want %+v", tc.given, tc.want)
		}
	}
}

var safeName = regexp.MustCompile(`^[A-Za-z0-9_+][A-Za-z0-9._+-]{0,127}$`)

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"../x", "a\r\nb", "\u202ex", strings.Repeat("é.", 200), "....", "-.-."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		file := release.Filename(name, 42)
		if !safeName.MatchString(file) || strings.Contains(file, "..") {
			t.Errorf("%q became %q", name, file)
		}
		if again := release.Filename(file, 42); again != file {
			t.Errorf("%q is cleaned again to %q", file, again)
		}
		title := release.Title(name, "1.0.0")
		if title == "" || !utf8.ValidString(title) || utf8.RuneCountInString(title) > 120 || strings.ContainsAny(title, "\r\n\x00") {
			t.Errorf("%q became the title %q", name, title)
		}
	})
}
