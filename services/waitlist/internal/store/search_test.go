package store_test

import (
	"testing"

	"fledge.dev/services/waitlist/internal/store"
)

func TestTheIndexIsAskedForWhatIsRare(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]string{
		"lovelace":                 "%lov%ace%",
		"grace.hopper":             "%grace%hop%per%",
		"ada.lovelace":             "%lov%ace%",
		"ada.lovelace@example.com": "%lov%ace%",
		"lovelace.ada@example.com": "%lov%ace%",
		"ada.smith@example.com":    "%ada%smith@%",
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
