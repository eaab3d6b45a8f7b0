package seed_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/seed"
)

func TestOnlyLocalDatabasesAreSeeded(t *testing.T) {
	never := func(context.Context, pgx.Tx, int) ([]string, error) {
		t.Error("rows were added")
		return nil, nil
	}
	for _, url := range []string{
		"postgres://u:p@db.example.com/x", "postgres://u@10.0.0.7/x", "postgres://u@localhost,db.example.com/x", "postgres://u@localhost.example.com/x", "host=db.example.com",
	} {
		if err := seed.Add(t.Context(), url, never, 1); !errors.Is(err, seed.ErrNotLocal) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"postgres://u@127.0.0.1:1/x", "postgres://u@[::1]:1/x", "postgres://u@localhost:1/x", "host=/nowhere user=u"} {
		if err := seed.Add(t.Context(), url, never, 1); err == nil || errors.Is(err, seed.ErrNotLocal) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
