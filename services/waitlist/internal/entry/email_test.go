package entry_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"fledge.dev/services/waitlist/internal/entry"
)

func TestParseEmailAccepts(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"ada@example.com":                 "ada@example.com",
		"  Ada@Example.COM\n":             "ada@example.com",
		"\u00a0ada@example.com\u3000":     "ada@example.com",
		"a@b.co":                          "a@b.co",
		"ada+beta@example.com":            "ada+beta@example.com",
		"ada.l.o'hara@example.com":        "ada.l.o'hara@example.com",
		"!#$%&'*+-/=?^_`{|}~@example.com": "!#$%&'*+-/=?^_`{|}~@example.com",
		"{{7*7}}@example.com":             "{{7*7}}@example.com",
		"ada@sub.domain.example.co.uk":    "ada@sub.domain.example.co.uk",
		"ada@123.com":                     "ada@123.com",
		"ada@r3---sn-abc.example.com":     "ada@r3---sn-abc.example.com",
		"ada@bücher.example":              "ada@xn--bcher-kva.example",
		"ada@BÜCHER.example":              "ada@xn--bcher-kva.example",
		"ada@xn--bcher-kva.example":       "ada@xn--bcher-kva.example",
		"ada@straße.example":              "ada@xn--strae-oqa.example",
		strings.Repeat("a", 64) + "@b.co": strings.Repeat("a", 64) + "@b.co",
		"a@" + longDomain(252):            "a@" + longDomain(252),
	} {
		got, err := entry.ParseEmail(typed)
		if err != nil || got.String() != want {
			t.Errorf("ParseEmail(%q) = %q, %v; want %q", typed, got, err, want)
		}
	}
}

func TestParseEmailRefuses(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]error{
		"":                          entry.ErrEmailMissing,
		" \t\r\n":                   entry.ErrEmailMissing,
		"a@" + longDomain(253):      entry.ErrEmailTooLong,
		strings.Repeat("a", 10_000): entry.ErrEmailTooLong,
		strings.Repeat("a", 64) + "@" + strings.Repeat("ü.", 24) + "co": entry.ErrEmailTooLong,
		"ada":                                    entry.ErrEmailInvalid,
		"@example.com":                           entry.ErrEmailInvalid,
		"ada@":                                   entry.ErrEmailInvalid,
		"ada@localhost":                          entry.ErrEmailInvalid,
		"ada@example.com.":                       entry.ErrEmailInvalid,
		"ada@.example.com":                       entry.ErrEmailInvalid,
		"ada@example..com":                       entry.ErrEmailInvalid,
		"ada@-example.com":                       entry.ErrEmailInvalid,
		"ada@example-.com":                       entry.ErrEmailInvalid,
		"ada@exa_mple.com":                       entry.ErrEmailInvalid,
		"ada@127.0.0.1":                          entry.ErrEmailInvalid,
		"ada@[127.0.0.1]":                        entry.ErrEmailInvalid,
		"ada@" + strings.Repeat("a", 64) + ".co": entry.ErrEmailInvalid,
		strings.Repeat("a", 65) + "@b.co":        entry.ErrEmailInvalid,
		".ada@example.com":                       entry.ErrEmailInvalid,
		"ada.@example.com":                       entry.ErrEmailInvalid,
		"a..da@example.com":                      entry.ErrEmailInvalid,
		"a da@example.com":                       entry.ErrEmailInvalid,
		"ada@exam ple.com":                       entry.ErrEmailInvalid,
		"ada@ex@ample.com":                       entry.ErrEmailInvalid,
		`"ada"@example.com`:                      entry.ErrEmailInvalid,
		"ada(x)@example.com":                     entry.ErrEmailInvalid,
		"<ada@example.com>":                      entry.ErrEmailInvalid,
		"Ada <ada@example.com>":                  entry.ErrEmailInvalid,
		"ada@example.com,b@example.com":          entry.ErrEmailInvalid,
		"ada@example.com\nSubject: x":            entry.ErrEmailInvalid,
		"ada\r\nBcc: v@x@example.com":            entry.ErrEmailInvalid,
		"a\x00da@example.com":                    entry.ErrEmailInvalid,
		"ada@exam\x00ple.com":                    entry.ErrEmailInvalid,
		"ada@exa\u00admple.com":                  entry.ErrEmailInvalid,
		"ada@exa\u200bmple.com":                  entry.ErrEmailInvalid,
		"ada\u202e@example.com":                  entry.ErrEmailInvalid,
		"ädä@example.com":                        entry.ErrEmailInvalid,
		"ada@example.com\xff":                    entry.ErrEmailInvalid,
		"ada@exam\xffple.com":                    entry.ErrEmailInvalid,
		"ada@xn--a.example":                      entry.ErrEmailInvalid,
		"' OR 1=1--":                             entry.ErrEmailInvalid,
	} {
		if got, err := entry.ParseEmail(typed); !errors.Is(err, want) {
			t.Errorf("ParseEmail(%q) = %q, %v; want %v", typed, got, err, want)
		}
	}
}

// FuzzParseEmail checks what the rest of the service takes for granted about an
// Email: it is printable ASCII in lower case, in bounds, and parses to itself.
func FuzzParseEmail(f *testing.F) {
	for _, seed := range []string{
		"ada@example.com", " Ada@BÜCHER.example ", "a@b.co\r\nBcc: v@x", "ada@xn--bcher-kva.example",
		"\u200dada@exa\u00admple。com", `"a b"@example.com`, "a@1.2.3.4", "ada@ﬀ.example", "ada@İ.example",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		email, err := entry.ParseEmail(typed)
		if err != nil {
			if email != (entry.Email{}) {
				t.Fatalf("ParseEmail(%q) gave %q beside an error", typed, email)
			}
			return
		}
		s := email.String()
		if len(s) > entry.MaxEmailLength || s != strings.ToLower(s) || strings.Count(s, "@") != 1 {
			t.Fatalf("ParseEmail(%q) = %q", typed, s)
		}
		if strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > unicode.MaxASCII || r == 0x7f }) >= 0 {
			t.Fatalf("ParseEmail(%q) = %q has a character outside printable ASCII", typed, s)
		}
		if again, err := entry.ParseEmail(s); err != nil || again != email {
			t.Fatalf("ParseEmail(%q) = %q, which parses to %q, %v", typed, s, again, err)
		}
	})
}

// longDomain builds a valid domain name of exactly n octets.
func longDomain(n int) string {
	name := strings.Repeat(strings.Repeat("d", 61)+".", n/62)
	if rest := n - len(name); rest < 2 {
		name = name[:len(name)-2] + "." + strings.Repeat("d", rest+1)
	} else {
		name += strings.Repeat("d", rest)
	}
	return name
}
