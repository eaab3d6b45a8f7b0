package release

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds, in bytes for file names and in characters for titles and notes.
const (
	maxFilename = 128
	maxTitle    = 120
	maxNotes    = 4000
)

// Filename makes a file name safe for a URL path, a header and a disk: letters,
// digits, "._+-" and nothing else, no dot at either end, at most 128 bytes with the
// extension kept. A name with nothing usable becomes "asset-<id>".
func Filename(name string, id int64) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._+-", r):
			return r
		default:
			return '-'
		}
	}, strings.TrimSpace(name)) // or the extension would not be one
	for strings.Contains(clean, "..") {
		clean = strings.ReplaceAll(clean, "..", ".")
	}
	clean = strings.TrimRight(strings.TrimLeft(clean, ".-"), ".")
	if clean == "" {
		return "asset-" + strconv.FormatInt(id, 10)
	}
	if len(clean) > maxFilename {
		ext := path.Ext(clean)
		if len(ext) > maxFilename/4 {
			ext = ""
		}
		clean = strings.TrimRight(clean[:maxFilename-len(ext)], ".") + ext
	}
	return clean
}

// Title makes a release's name one clean line of at most 120 characters. What is not seen is dropped, control
// and direction characters among it, so that a name cannot reorder the page around it. An empty name becomes the
// version.
func Title(name string, v Version) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case isUnseen(r):
			return -1
		default:
			return r
		}
	}, name)
	clean = strings.Trim(strings.Join(strings.Fields(clean), " "), joiners+" ")
	if clean == "" {
		return string(v)
	}
	if runes := []rune(clean); len(runes) > maxTitle {
		clean = string(runes[:maxTitle-1]) + "…"
	}
	return clean
}

// comments are what GitHub does not show of release notes: its own about how it generated them, and what teams
// tell themselves.
var comments = regexp.MustCompile(`(?s)<!--.*?-->`)

// Notes makes release notes plain text of at most 4,000 characters, without comments: line breaks
// and tabs stay, other characters that are not seen are dropped as in Title.
// Markdown is left as it is written.
func Notes(body string) string {
	clean := strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && isUnseen(r) {
			return -1
		}
		return r
	}, comments.ReplaceAllLiteralString(body, ""))
	clean = strings.TrimSpace(clean)
	if runes := []rune(clean); len(runes) > maxNotes {
		clean = strings.TrimSpace(string(runes[:maxNotes-1])) + "…"
	}
	return clean
}

// joiners make one sign of several, as 👩‍💻, and keep letters of Persian apart.
const joiners = "\u200c\u200d"

func isUnseen(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !strings.ContainsRune(joiners, r)
}

// UniqueNames gives assets whose cleaned names collide a name with their id.
func UniqueNames(assets []Asset) {
	taken := make(map[string]bool, len(assets))
	for i := range assets {
		a := &assets[i]
		id, name := strconv.FormatInt(a.GitHubID, 10), a.Name
		prefix := id + "-"
		for n := 2; taken[a.Name]; n++ {
			a.Name = Filename(prefix+name, a.GitHubID)
			prefix = id + "-" + strconv.Itoa(n) + "-" // where another file is called so
		}
		taken[a.Name] = true
	}
}
