package bus

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/events/waitlist/v1"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
)

// handedOut is a message in a consumer's hands, without a stream behind it.
type handedOut struct {
	jetstream.Msg // what these tests do not need
	msg           *nats.Msg
}

func (h handedOut) Subject() string      { return h.msg.Subject }
func (h handedOut) Headers() nats.Header { return h.msg.Header }
func (h handedOut) Data() []byte         { return h.msg.Data }

// Any number of replicas get any number of copies in any order, and handlers
// fail at any try: the state is that of each event once, in order.
func TestDuplicatesAndReorderingHaveOneEffect(t *testing.T) {
	url := pgtest.New(t, "idempotency", func(ctx context.Context, url string) error {
		return pg.Migrate(ctx, url, Migrations())
	})
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), "CREATE TABLE account (subject text PRIMARY KEY, events int NOT NULL, version bigint NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) { checkOneEffect(t, pool) })
}

func checkOneEffect(t *rapid.T, pool *pgxpool.Pool) {
	ctx := context.Background()
	if _, err := pool.Exec(ctx, "TRUNCATE account, inbox, dead_letter"); err != nil {
		t.Fatal(err)
	}
	versions := rapid.SliceOfN(rapid.IntRange(1, 8), 1, 4).Draw(t, "events of each subject")
	var messages []handedOut
	want := map[string]int64{}
	for i, n := range versions {
		subject := string(rune('a' + i))
		want[subject] = int64(n)
		for v := 1; v <= n; v++ {
			copies := rapid.IntRange(1, 4).Draw(t, "copies")
			message := messageOf(t, subject, int64(v))
			for range copies {
				messages = append(messages, message)
			}
		}
	}
	messages = rapid.Permutation(messages).Draw(t, "order")
	failures := rapid.SliceOfN(rapid.Bool(), 8, 8).Draw(t, "failing tries")

	var mu sync.Mutex
	tries := 0
	outage := func() error {
		mu.Lock()
		defer mu.Unlock()
		tries++
		if tries <= len(failures) && failures[tries-1] {
			return fault.New(fault.Unavailable, "outage", "Not now.")
		}
		return nil
	}
	replicas := rapid.IntRange(1, 3).Draw(t, "replicas")
	var running sync.WaitGroup
	for i := range replicas {
		c := newTestConsumer(pool, outage)
		running.Go(func() {
			for j := i; j < len(messages); j += replicas {
				for {
					if result, _ := c.process(ctx, messages[j]); result != resultRetried {
						break
					}
				}
			}
		})
	}
	running.Wait()
	checkAccounts(t, pool, want)
}

func messageOf(t *rapid.T, subject string, version int64) handedOut {
	row, err := Encode(context.Background(), Event{
		ID: uuid.New(), Type: "fledge.waitlist.v1.user.joined", Time: time.Now(), Subject: subject, Version: version,
		Payload: &waitlistv1.UserJoined{UserId: subject},
	})
	if err != nil {
		t.Fatal(err)
	}
	return handedOut{msg: row.message()}
}

func newTestConsumer(pool *pgxpool.Pool, outage func() error) *consumer {
	rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
	conn := Connect(Config{URL: "nats://127.0.0.1:1", AckWait: time.Minute}, rt)
	spec := ConsumerSpec{Name: "accounts", Handle: func(ctx context.Context, tx pgx.Tx, ev Event) error {
		_, err := tx.Exec(ctx, `INSERT INTO account VALUES ($1, 1, $2) ON CONFLICT (subject)
			DO UPDATE SET events = account.events + 1, version = greatest(account.version, excluded.version)`, ev.Subject, ev.Version)
		if err != nil {
			return err
		}
		return outage()
	}}
	return &consumer{ConsumerSpec: spec.withDefaults(conn.cfg), conn: conn, pool: pool, log: rt.Log}
}

func checkAccounts(t *rapid.T, pool *pgxpool.Pool, want map[string]int64) {
	rows, err := pool.Query(context.Background(), "SELECT subject, events, version FROM account")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	seen := 0
	for rows.Next() {
		var subject string
		var events, version int64
		if err := rows.Scan(&subject, &events, &version); err != nil {
			t.Fatal(err)
		}
		seen++
		if events != want[subject] || version != want[subject] {
			t.Errorf("subject %s: %d effects, version %d, want %d of each", subject, events, version, want[subject])
		}
	}
	if err := rows.Err(); err != nil || seen != len(want) {
		t.Errorf("%d of %d subjects: %v", seen, len(want), err)
	}
	var letters int
	if err := pool.QueryRow(context.Background(), "SELECT count(*) FROM dead_letter").Scan(&letters); err != nil || letters != 0 {
		t.Errorf("%d dead letters: %v", letters, err)
	}
}
