package keyset_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/keyset"
)

// FuzzDecode: a place in a list has one name, and a name of another list is none.
func FuzzDecode(f *testing.F) {
	const list, other keyset.Format = 'w', 'u'
	at := time.Date(2026, 3, 1, 12, 0, 0, 123_456_000, time.UTC)
	good := list.Encode(keyset.Cursor{CreatedAt: at, ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8")})
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
