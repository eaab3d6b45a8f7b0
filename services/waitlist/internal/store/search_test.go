package store_test

import (
	"testing"

	"fledge.dev/services/waitlist/internal/store"
)

func TestTheIndexIsAskedForWhatIsRare(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]string{
		"lovelace":                 "%lovelace%",
		"grace.hopper":             "%grace%hopper%",
		"ada.lovelace":             "%lovelace%",
		"ada.lovelace@example.com": "%lovelace@%",
		"lovelace.ada@example.com": "%lovelace%",
		"ada.smith":                "%ada%smith%", // neither says enough alone
		"a.lovelace":               "%a.lovelace%",
		"@example.com":             "%@example.com%",
		"ada_":                     "%ada%",
	} {
		if got := store.Roughly(part); got != want {
			t.Errorf("%q: %q, want %q", part, got, want)
		}
	}
}
