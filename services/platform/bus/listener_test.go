package bus

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pgtest"
)

func TestARelayListensExceptInABurst(t *testing.T) {
	t.Parallel()
	databaseURL := pgtest.NewEmpty(t)
	relay, appender := connect(t, databaseURL), connect(t, databaseURL)
	l := &listener{db: relay}
	for _, step := range []struct {
		name    string
		found   int
		listens bool
	}{
		{"the first look", 0, true},
		{"a burst", burstRows, false},
		{"the burst goes on", batchSize, false},
		{"its end", burstRows - 1, true},
	} {
		// Returns at once: appends before it listened have notified nobody.
		if err := l.await(t.Context(), step.found); err != nil {
			t.Fatal(err)
		}
		var listens bool
		if err := relay.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_listening_channels())").Scan(&listens); err != nil || listens != step.listens {
			t.Errorf("%s: listens %t, want %t (%v)", step.name, listens, step.listens, err)
		}
	}
	for range 3 {
		if _, err := appender.Exec(t.Context(), "NOTIFY outbox"); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cancel()
	if err := l.await(ctx, 1); err == nil {
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
