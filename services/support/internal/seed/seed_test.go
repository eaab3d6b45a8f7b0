package seed_test

import (
	"errors"
	"testing"

	"fledge.dev/services/support/internal/seed"
)

func TestOnlyLocalDatabasesAreSeeded(t *testing.T) {
	for _, url := range []string{
		"postgres://u:p@db.example.com/support", "postgres://u@10.0.0.7/support", "postgres://u@localhost,db.example.com/support",
		"postgres://u@localhost.example.com/support", "host=db.example.com",
	} {
		if err := seed.Tickets(t.Context(), url, 1); !errors.Is(err, seed.ErrNotLocal) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"postgres://u@127.0.0.1:1/x", "postgres://u@[::1]:1/x", "postgres://u@localhost:1/x", "host=/nowhere user=u"} {
		if err := seed.Tickets(t.Context(), url, 1); err == nil || errors.Is(err, seed.ErrNotLocal) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
