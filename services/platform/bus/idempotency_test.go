package bus

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
)

// Any number of replicas get any number of copies in any order, and handlers
// fail at any try: the state is that of each event once, in order.
func TestDuplicatesAndReorderingHaveOneEffect(t *testing.T) {
	pool := accounts(t)
	rapid.Check(t, func(t *rapid.T) { checkOneEffect(t, pool) })
}

// accounts is a database with a table that adds events up.
func accounts(t *testing.T) *pgxpool.Pool {
	t.Helper()
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
	return pool
}

func checkOneEffect(t *rapid.T, pool *pgxpool.Pool) {
	ctx := context.Background()
	if _, err := pool.Exec(ctx, "TRUNCATE account, inbox, dead_letter"); err != nil {
		t.Fatal(err)
	}
	versions := rapid.SliceOfN(rapid.IntRange(1, 8), 1, 4).Draw(t, "events of each subject")
	var messages []jetstream.Msg
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

// many is how many events a test of them all has.
const many = 1000

// TestManyCopiesInAnyOrderHaveOneEffect: each event comes one to five times to three replicas.
func TestManyCopiesInAnyOrderHaveOneEffect(t *testing.T) {
	pool := accounts(t)
	dice := rand.New(rand.NewPCG(1, 2))
	var messages []jetstream.Msg
	want := map[string]int64{}
	for i := range many {
		subject, version := "subject "+strconv.Itoa(i/8), int64(i%8+1)
		want[subject] = version
		message := messageOf(t, subject, version)
		for range 1 + dice.IntN(5) {
			messages = append(messages, message)
		}
	}
	dice.Shuffle(len(messages), func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
	const replicas = 3
	var running sync.WaitGroup
	for i := range replicas {
		c := newTestConsumer(pool, func() error { return nil })
		running.Go(func() {
			for j := i; j < len(messages); j += replicas {
				if result, err := c.process(t.Context(), messages[j]); result == resultRetried {
					t.Errorf("message %d: %v", j, err)
				}
			}
		})
	}
	running.Wait()
	checkAccounts(t, pool, want)
	var received int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM inbox").Scan(&received); err != nil || received != many {
		t.Errorf("%d of %d events in the inbox: %v", received, many, err)
	}
	t.Logf("%d events in %d copies", many, len(messages))
}

// reporter is a test, or one of rapid's.
type reporter interface {
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

func messageOf(t reporter, subject string, version int64) jetstream.Msg {
	row, err := Encode(context.Background(), Event{
		ID: uuid.New(), Type: "fledge.waitlist.v1.staff.action", Time: time.Now(), Subject: subject, Version: version,
		Payload: &auditv1.StaffAction{Subject: subject},
	})
	if err != nil {
		t.Fatal(err)
	}
	return handed{simMessage: &simMessage{Msg: row.message()}}
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

func checkAccounts(t reporter, pool *pgxpool.Pool, want map[string]int64) {
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
