package keyset_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/keyset"
)

const list, other keyset.Format = 'w', 'u'

var place = keyset.Cursor{
	CreatedAt: time.Date(2026, 3, 1, 12, 0, 0, 123_456_000, time.UTC), ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"),
}

func TestACursorSurvivesItsEncoding(t *testing.T) {
	for _, c := range []keyset.Cursor{place, keyset.Start} {
		if got, err := list.Decode(list.Encode(c)); err != nil || got != c {
			t.Errorf("got %+v, %v; want %+v", got, err, c)
		}
	}
}

func TestWhatIsNoCursorOfTheList(t *testing.T) {
	valid := list.Encode(place)
	raw, err := base64.RawURLEncoding.DecodeString(valid)
	errtest.None(t, err)
	spoilt := func(change func(raw []byte) []byte) string {
		return base64.RawURLEncoding.EncodeToString(change(slices.Clone(raw)))
	}
	for name, s := range map[string]string{
		"empty":           "",
		"not base64":      "!!!",
		"padded":          valid + "==",
		"line break":      valid[:10] + "\n" + valid[10:],
		"short":           spoilt(func(raw []byte) []byte { return raw[:24] }),
		"long":            spoilt(func(raw []byte) []byte { return append(raw, 0) }),
		"of another list": other.Encode(place),
		"far future":      spoilt(func(raw []byte) []byte { raw[1] = 0x7f; return raw }),
		"negative time":   spoilt(func(raw []byte) []byte { raw[1] = 0xff; return raw }),
		"before us":       spoilt(func(raw []byte) []byte { return append(append(raw[:1:1], make([]byte, 8)...), raw[9:]...) }),
		"huge":            strings.Repeat("A", 1<<20),
	} {
		if c, err := list.Decode(s); !errors.Is(err, keyset.ErrCursor) {
			t.Errorf("%s: got %+v, %v", name, c, err)
		}
	}
}

// FuzzDecode: a place in a list has one name, and a name of another list is none.
func FuzzDecode(f *testing.F) {
	good := list.Encode(place)
	for _, seed := range []string{good, good + "=", good + "\n", good[1:], good + good, strings.ToUpper(good), list.Encode(keyset.Start), other.Encode(keyset.Start), "' OR 1=1--", "", "AAAA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		c, err := list.Decode(name)
		if err != nil {
			if c != (keyset.Cursor{}) {
				t.Fatalf("%q gives %+v beside an error", name, c)
			}
			return
		}
		if list.Encode(c) != name || c.CreatedAt.Year() < 2000 || c.CreatedAt.Year() > 9999 {
			t.Fatalf("%q is %+v, which is named %q", name, c, list.Encode(c))
		}
		if _, err := other.Decode(name); err == nil {
			t.Fatalf("%q is a place in two lists", name)
		}
	})
}
