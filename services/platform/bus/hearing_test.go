package bus

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pgtest"
)

func TestARelayListensExceptInARush(t *testing.T) {
	t.Parallel()
	databaseURL := pgtest.NewEmpty(t)
	relay, appender := connect(t, databaseURL), connect(t, databaseURL)
	h := &hearing{db: relay}
	for _, step := range []struct {
		name  string
		found int
		hears bool
	}{
		{"the first look", 0, true},
		{"a rush", rush, false},
		{"the rush goes on", batchSize, false},
		{"its end", rush - 1, true},
	} {
		// Returns at once: what came before it listened was announced to nobody.
		if err := h.await(t.Context(), step.found); err != nil {
			t.Fatal(err)
		}
		var hears bool
		if err := relay.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_listening_channels())").Scan(&hears); err != nil || hears != step.hears {
			t.Errorf("%s: listens %t, want %t (%v)", step.name, hears, step.hears, err)
		}
	}
	for range 3 {
		if _, err := appender.Exec(t.Context(), "NOTIFY outbox"); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cancel()
	if err := h.await(ctx, 1); err == nil {
		t.Error("a relay that is to end says that something was appended")
	}
}

func connect(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}
