package bus

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
)

// TestCopiesInAnyOrderHaveOneEffect: each of a thousand events comes one to five times to three replicas, in any order,
// and one try in ten meets an outage after its effect. The state is that of each event once, in order.
func TestCopiesInAnyOrderHaveOneEffect(t *testing.T) {
	url := pgtest.New(t, "idempotency", func(ctx context.Context, url string) error { return pg.Migrate(ctx, url, Migrations()) })
	pool := pgtest.Open(t, url)
	_, err := pool.Exec(t.Context(), "CREATE TABLE account (subject text PRIMARY KEY, events int NOT NULL, version bigint NOT NULL)")
	errtest.None(t, err)

	const events, subjects, replicas = 1000, 125, 3
	seed := rand.Uint64()
	dice := rand.New(rand.NewPCG(seed, 0))
	var messages []jetstream.Msg
	for i := range events {
		row, err := Encode(t.Context(), Event{
			ID: uuid.New(), Type: "fledge.waitlist.v1.staff.action", Time: time.Now(), Subject: strconv.Itoa(i % subjects), Version: int64(i/subjects + 1),
			Payload: &auditv1.StaffAction{},
		})
		errtest.None(t, err)
		for range 1 + dice.IntN(5) {
			messages = append(messages, handed{simMessage: &simMessage{Msg: row.Message()}})
		}
	}
	dice.Shuffle(len(messages), func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
	var tries atomic.Int64
	handle := func(ctx context.Context, tx pgx.Tx, ev Event) error {
		_, err := tx.Exec(ctx, `INSERT INTO account VALUES ($1, 1, $2) ON CONFLICT (subject)
			DO UPDATE SET events = account.events + 1, version = greatest(account.version, excluded.version)`, ev.Subject, ev.Version)
		if err == nil && tries.Add(1)%10 == 0 {
			err = fault.New(fault.Unavailable, "outage", "Not now.")
		}
		return err
	}
	var running sync.WaitGroup
	for i := range replicas {
		rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
		conn := Connect(Config{URL: "nats://127.0.0.1:1"}, rt)
		c := &consumer{ConsumerSpec: ConsumerSpec{Name: "accounts", Handle: handle, AckWait: time.Minute}.withDefaults(), conn: conn, pool: pool, log: rt.Log}
		running.Go(func() {
			for j := i; j < len(messages); j += replicas {
				for result := resultRetried; result == resultRetried; {
					result, _ = c.process(t.Context(), messages[j])
				}
			}
		})
	}
	running.Wait()
	var got [4]int
	errtest.None(t, pool.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE events = $1 AND version = $1),
		(SELECT count(*) FROM inbox), (SELECT count(*) FROM dead_letter) FROM account`, events/subjects).Scan(&got[0], &got[1], &got[2], &got[3]))
	if want := [4]int{subjects, subjects, events, 0}; got != want {
		t.Errorf("subjects, subjects with each event once, events received, dead letters: %v, want %v (seed %d, %d copies)", got, want, seed, len(messages))
	}
}
