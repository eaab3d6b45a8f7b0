package pg_test

import (
	"strings"
	"testing"

	"fledge.dev/services/platform/pg"
)

// like is PostgreSQL's LIKE with its default escape character.
func like(text, pattern []rune) bool {
	if len(pattern) == 0 {
		return len(text) == 0
	}
	switch {
	case pattern[0] == '%':
		for i := range len(text) + 1 {
			if like(text[i:], pattern[1:]) {
				return true
			}
		}
		return false
	case len(text) == 0:
		return false
	case pattern[0] == '_':
		return like(text[1:], pattern[1:])
	case pattern[0] == '\\' && len(pattern) > 1:
		pattern = pattern[1:]
	}
	return text[0] == pattern[0] && like(text[1:], pattern[1:])
}

// FuzzContaining: a pattern finds what holds the text as it is, and nothing else.
func FuzzContaining(f *testing.F) {
	for _, seed := range [][2]string{{"a%b", "%"}, {"ab", "_"}, {`a\b`, `\`}, {`a\`, `\\`}, {"100%", "0%"}, {"", ""}, {"a_b", "a_"}, {`%\_`, `\_`}, {"état", "é"}, {"ab", "%b"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, part string) {
		if len(text) > 64 || len(part) > 32 {
			return // the model takes its time
		}
		text, part = strings.ToValidUTF8(text, "?"), strings.ToValidUTF8(part, "?")
		pattern := pg.Containing(part)
		if got, want := like([]rune(text), []rune(pattern)), strings.Contains(text, part); got != want {
			t.Fatalf("%q LIKE %q (for %q) is %t", text, pattern, part, got)
		}
		if !like([]rune("x"+part+"y"), []rune(pattern)) {
			t.Fatalf("%q does not find itself by %q", part, pattern)
		}
	})
}
