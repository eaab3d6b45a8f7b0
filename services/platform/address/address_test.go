package address_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"fledge.dev/services/platform/address"
)

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"ada@example.com":                    "ada@example.com",
		"  Ada@Example.COM\n":                "ada@example.com",
		"\u00a0ada@example.com\u3000":        "ada@example.com",
		"\u200bada@example.com\ufeff":        "ada@example.com",
		"\u202aada@example.com\u202c \u2060": "ada@example.com",
		"a@b.co":                             "a@b.co",
		"ada+beta@example.com":               "ada+beta@example.com",
		"ada.l.o'hara@example.com":           "ada.l.o'hara@example.com",
		"!#$%&'*+-/=?^_`{|}~@example.com":    "!#$%&'*+-/=?^_`{|}~@example.com",
		"{{7*7}}@example.com":                "{{7*7}}@example.com",
		"ada@sub.domain.example.co.uk":       "ada@sub.domain.example.co.uk",
		"ada@123.com":                        "ada@123.com",
		"ada@r3---sn-abc.example.com":        "ada@r3---sn-abc.example.com",
		"ada@bücher.example":                 "ada@xn--bcher-kva.example",
		"ada@BÜCHER.example":                 "ada@xn--bcher-kva.example",
		"ada@xn--bcher-kva.example":          "ada@xn--bcher-kva.example",
		"ada@straße.example":                 "ada@xn--strae-oqa.example",
		strings.Repeat("a", 64) + "@b.co":    strings.Repeat("a", 64) + "@b.co",
		"a@" + longDomain(252):               "a@" + longDomain(252),
	} {
		got, err := address.Parse(typed)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", typed, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]error{
		"":                          address.ErrMissing,
		" \t\r\n":                   address.ErrMissing,
		"\u200b":                    address.ErrMissing,
		"a@" + longDomain(253):      address.ErrTooLong,
		strings.Repeat("a", 10_000): address.ErrTooLong,
		strings.Repeat("a", 64) + "@" + strings.Repeat("ü.", 24) + "co": address.ErrTooLong,
		"ada":                                    address.ErrInvalid,
		"@example.com":                           address.ErrInvalid,
		"ada@":                                   address.ErrInvalid,
		"ada@localhost":                          address.ErrInvalid,
		"ada@example.com.":                       address.ErrInvalid,
		"ada@.example.com":                       address.ErrInvalid,
		"ada@example..com":                       address.ErrInvalid,
		"ada@-example.com":                       address.ErrInvalid,
		"ada@example-.com":                       address.ErrInvalid,
		"ada@exa_mple.com":                       address.ErrInvalid,
		"ada@127.0.0.1":                          address.ErrInvalid,
		"ada@[127.0.0.1]":                        address.ErrInvalid,
		"ada@" + strings.Repeat("a", 64) + ".co": address.ErrInvalid,
		strings.Repeat("a", 65) + "@b.co":        address.ErrInvalid,
		".ada@example.com":                       address.ErrInvalid,
		"ada.@example.com":                       address.ErrInvalid,
		"a..da@example.com":                      address.ErrInvalid,
		"a da@example.com":                       address.ErrInvalid,
		"ada@exam ple.com":                       address.ErrInvalid,
		"ada@ex@ample.com":                       address.ErrInvalid,
		`"ada"@example.com`:                      address.ErrInvalid,
		"ada(x)@example.com":                     address.ErrInvalid,
		"<ada@example.com>":                      address.ErrInvalid,
		"Ada <ada@example.com>":                  address.ErrInvalid,
		"ada@example.com,b@example.com":          address.ErrInvalid,
		"ada@example.com\nSubject: x":            address.ErrInvalid,
		"ada\r\nBcc: v@x@example.com":            address.ErrInvalid,
		"a\x00da@example.com":                    address.ErrInvalid,
		"ada@exam\x00ple.com":                    address.ErrInvalid,
		"ada@exa\u00admple.com":                  address.ErrInvalid,
		"ada@exa\u200bmple.com":                  address.ErrInvalid,
		"ada\u202e@example.com":                  address.ErrInvalid,
		"用户@例子.example":                          address.ErrLetters,
		"ädä@exa mple.com":                       address.ErrInvalid,
		"ä dä@example.com":                       address.ErrInvalid,
		"ädä@example.com":                        address.ErrLetters,
		"adm\u0130n@example.com":                 address.ErrLetters, // İ, to Unicode an i with a dot
		"bo\u017fs@example.com":                  address.ErrLetters, // ſ, to Unicode an s
		"\uff21da@example.com":                   address.ErrLetters, // a full-width A
		"ada@example.com\xff":                    address.ErrInvalid,
		"ada@exam\xffple.com":                    address.ErrInvalid,
		"ada@xn--a.example":                      address.ErrInvalid,
		"' OR 1=1--":                             address.ErrInvalid,
	} {
		if got, err := address.Parse(typed); !errors.Is(err, want) {
			t.Errorf("Parse(%q) = %q, %v; want %v", typed, got, err, want)
		}
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		one, other, want string
		same             bool
	}{
		"equal":                     {"kate@example.com", "kate@example.com", "kate@example.com", true},
		"another case":              {"Kate@Example.com", "kate@example.COM", "kate@example.com", true},
		"a domain in other letters": {"kate@BÜCHER.example", "kate@xn--bcher-kva.example", "kate@xn--bcher-kva.example", true},
		"the Kelvin sign":           {"\u212aate@example.com", "kate@example.com", "", false},
		"twice the Kelvin sign":     {"\u212aate@example.com", "\u212aate@example.com", "", false},
		"another mailbox":           {"kate@example.com", "kat@example.com", "", false},
		"nothing":                   {"", "", "", false},
	} {
		for _, pair := range [][2]string{{tc.one, tc.other}, {tc.other, tc.one}} {
			if got, same := address.Same(pair[0], pair[1]); got != tc.want || same != tc.same {
				t.Errorf("%s: %q, %t", name, got, same)
			}
		}
	}
}

// FuzzParse checks what the services take for granted about an
// address: it is printable ASCII in lower case, in bounds, and parses to itself.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"ada@example.com", " Ada@BÜCHER.example ", "a@b.co\r\nBcc: v@x", "ada@xn--bcher-kva.example",
		"\u200dada@exa\u00admple。com", `"a b"@example.com`, "a@1.2.3.4", "ada@ﬀ.example", "ada@İ.example",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		s, err := address.Parse(typed)
		if err != nil {
			if s != "" {
				t.Fatalf("Parse(%q) gave %q beside an error", typed, s)
			}
			return
		}
		if len(s) > address.MaxLength || s != strings.ToLower(s) || strings.Count(s, "@") != 1 {
			t.Fatalf("Parse(%q) = %q", typed, s)
		}
		if strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > unicode.MaxASCII || r == 0x7f }) >= 0 {
			t.Fatalf("Parse(%q) = %q has a character outside printable ASCII", typed, s)
		}
		if again, err := address.Parse(s); err != nil || again != s {
			t.Fatalf("Parse(%q) = %q, which parses to %q, %v", typed, s, again, err)
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

func TestUnicode(t *testing.T) {
	for accepted, want := range map[string]string{
		"ada@xn--bcher-kva.example": "ada@bücher.example", "xn--bcher-kva@example.com": "xn--bcher-kva@example.com", "ada@xn--.example": "ada@xn--.example", "": "",
	} {
		if got := address.Unicode(accepted); got != want {
			t.Errorf("%q is %q, want %q", accepted, got, want)
		}
	}
}

func TestASCIIDomain(t *testing.T) {
	for typed, want := range map[string]string{
		"BÜCHER.example": "xn--bcher-kva.example", "xn--bcher-kva.example": "xn--bcher-kva.example", "Example.COM": "example.com",
		"localhost": "localhost", "r3---sn-x.example.com": "r3---sn-x.example.com",
	} {
		if got, err := address.ASCIIDomain(typed); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", typed, got, err, want)
		}
	}
	for _, typed := range []string{"", "a b.example", "a_b.example", "xn--a.example", strings.Repeat("ü", 64) + ".example"} {
		if got, err := address.ASCIIDomain(typed); err == nil {
			t.Errorf("%q is %q", typed, got)
		}
	}
}

func TestSearched(t *testing.T) {
	for typed, want := range map[string]string{
		"":                           "",
		"Ada@Example":                "ada@example",
		"ada@Bücher.example":         "ada@xn--bcher-kva.example",
		"BÜCHER":                     "xn--bcher-kva",
		"ada@bücher.":                "ada@xn--bcher-kva.",
		"r3---sn-bücher.example":     "xn--r3---sn-bcher-4ob.example",
		"jörg@":                      "jörg@",
		"%_\\":                       "%_\\",
		"'; SELECT pg_sleep(9)--":    "'; select pg_sleep(9)--",
		"xn--bcher-kva.example":      "xn--bcher-kva.example",
		strings.Repeat("ü", 300):     address.Searched(strings.Repeat("Ü", 300)),
		"a\u00a0b@exam\u200bple.com": "a\u00a0b@example.com",
	} {
		if got := address.Searched(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
