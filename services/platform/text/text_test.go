package text_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/platform/text"
)

func TestClean(t *testing.T) {
	for pasted, want := range map[string]string{
		"a\x00b": "ab", "a\x1b[31mred\x1b[0m": "ared", "a\rb": "a\nb", "\x7fa": "a", "a\x1b": "a", "\u009b1ma": "a",
		"one\vtwo\u2028three\u2029four\u0085five\ffive": "one\ntwo\nthree\nfour\nfive\nfive",
		"\x1b]0;title\x07a":                             "a",
		"\x1b]8;;https://x\x1b\\a\x1b]8;;\x1b\\":        "a",
		"\x1b]0;no end\nthe rest":                       "the rest",
		"\x1b]0;no end\r\nthe rest":                     "the rest",
		"\x1bPq#0~\x1b\\a\x1b_x\x1b\\":                  "a",
		"\u200b\ufeff \u3164\n\ufe0f":                   "",
		"\u200ba":                                       "\u200ba",
		"  a\t":                                         "a",
		"a\n\n\tb":                                      "a\n\n\tb",
		"<b>\u202e{{7*7}}":                              "<b>\u202e{{7*7}}",
	} {
		if got := text.Clean(pasted); got != want {
			t.Errorf("%q became %q, want %q", pasted, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for pasted, want := range map[string]string{
		" Paid\ttwice\r\n": "Paid twice", "a\r\nBcc: v@x": "a Bcc: v@x", "\u202eabc\u2066": "abc", "a\u2028b": "a b", "\x1b[1mbold": "bold", "": "",
	} {
		if got := text.Line(pasted); got != want {
			t.Errorf("%q became %q, want %q", pasted, got, want)
		}
	}
}

func TestUUID(t *testing.T) {
	const id = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"
	for _, given := range []string{id, strings.ToUpper(id)} {
		if got, ok := text.UUID(given); !ok || got != uuid.MustParse(id) {
			t.Errorf("%s is %s, %t", given, got, ok)
		}
	}
	for _, other := range []string{
		"", "42", "urn:uuid:" + id, "{" + id + "}", strings.ReplaceAll(id, "-", ""), id + " ", id[1:], id + "0", strings.Repeat("0", 10_000),
	} {
		if got, ok := text.UUID(other); ok || got != uuid.Nil {
			t.Errorf("%.50q is %s, %t", other, got, ok)
		}
	}
}
