package bus_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

const (
	acted       = "fledge.waitlist.v1.staff.action"
	stream      = "FLEDGE_WAITLIST"
	stopTimeout = 30 * time.Second
	// ackWait is how long a test waits for what a consumer has not acknowledged.
	ackWait = 2 * time.Second
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// rig is a service's surroundings: a database with the tables of the bus and a
// table for effects, and a NATS server.
type rig struct {
	t    testing.TB
	nats *bustest.Server
	pool *pgxpool.Pool
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := newDatabase(t)
	r.nats = bustest.Start(t)
	return r
}

// newDatabase is a rig without a NATS server.
func newDatabase(t testing.TB) *rig {
	t.Helper()
	url := pgtest.New(t, "bus", func(ctx context.Context, url string) error {
		if err := pg.Migrate(ctx, url, bus.Migrations()); err != nil {
			return err
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, `CREATE TABLE effect (consumer text, event_id uuid, subject text, version bigint)`)
		return err
	})
	pool := pgtest.Open(t, url)
	return &rig{t: t, pool: pool}
}

// publishing returns a rig with a replica that publishes.
func publishing(t testing.TB) (*rig, *replica) {
	t.Helper()
	r := newRig(t)
	replica, _ := r.publisher()
	return r, replica
}

// publisher starts a replica that publishes until stop.
func (r *rig) publisher() (p *replica, stop func()) {
	p = r.replica()
	return p, p.run(p.conn.Relay(r.pool))
}

// replica is one process of the waitlist service.
type replica struct {
	*rig
	rt     *service.Runtime
	conn   *bus.Conn
	opened bool
}

func (r *rig) replica() *replica { return r.replicaWith(r.config(r.nats.URL())) }

func (r *rig) replicaWith(cfg bus.Config) *replica {
	rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
	return &replica{rig: r, rt: rt, conn: bus.Connect(cfg, rt)}
}

func (r *rig) config(url string) bus.Config {
	return bus.Config{URL: url, Replicas: 1}
}

// run starts a unit and returns its stop, which the test's end calls at the latest.
func (r *replica) run(unit service.Unit) (stop func()) {
	r.t.Helper()
	if !r.opened {
		r.opened = true
		r.run(r.conn.Unit())
	}
	end, err := unit.Start(r.t.Context())
	if err != nil {
		r.t.Fatalf("start %s: %v", unit.Name, err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := end(ctx); err != nil {
			r.t.Errorf("stop %s: %v", unit.Name, err)
		}
	}
	r.t.Cleanup(stop)
	return stop
}

func (r *replica) consume(name string, handle func(context.Context, pgx.Tx, bus.Event) error, adjust ...func(bus.ConsumerSpec) bus.ConsumerSpec) {
	r.t.Helper()
	spec := bus.ConsumerSpec{Name: name, Stream: stream, Type: acted, Handle: handle, AckWait: ackWait}.Pausing(200 * time.Millisecond)
	for _, f := range adjust {
		spec = f(spec)
	}
	r.run(r.conn.Consumer(r.pool, spec))
}

// alone has one worker consume, which tries again at once.
func alone(spec bus.ConsumerSpec) bus.ConsumerSpec {
	spec.Workers = 1
	return spec.Pausing(time.Millisecond)
}

// count adds an effect without guarding it against repetition.
func count(consumer string) func(context.Context, pgx.Tx, bus.Event) error {
	return func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		_, err := tx.Exec(ctx, "INSERT INTO effect VALUES ($1, $2, $3, $4)", consumer, ev.ID, ev.Subject, ev.Version)
		return err
	}
}

func (r *rig) append(n int) []uuid.UUID {
	r.t.Helper()
	var events []bus.Event
	for range n {
		events = append(events, staffAction(uuid.NewString()))
	}
	return r.appendEvents(events...)
}

func (r *rig) appendEvents(events ...bus.Event) []uuid.UUID {
	r.t.Helper()
	ids := make([]uuid.UUID, len(events))
	for i := range events {
		events[i].ID = uuid.Must(uuid.NewV7())
		ids[i] = events[i].ID
	}
	errtest.None(r.t, bus.Append(r.t.Context(), r.pool, events...))
	return ids
}

func staffAction(subject string) bus.Event {
	return bus.Event{Type: acted, Subject: subject, Version: 1, Payload: &auditv1.StaffAction{Subject: subject, SubjectLabel: "ada@example.test"}}
}

// effects returns how many effects a consumer had, and on how many events.
func (r *rig) effects(consumer string) (total, distinct int) {
	r.t.Helper()
	r.query("SELECT count(*), count(DISTINCT event_id) FROM effect WHERE consumer = $1", []any{consumer}, &total, &distinct)
	return total, distinct
}

func (r *rig) query(sql string, args []any, into ...any) {
	r.t.Helper()
	errtest.None(r.t, r.pool.QueryRow(r.t.Context(), sql, args...).Scan(into...))
}

func (r *rig) pending() (n int) {
	r.t.Helper()
	r.query("SELECT count(*) FROM outbox WHERE stream_seq IS NULL", nil, &n)
	return n
}

// stored returns how many events the stream holds, -1 when there is none.
func (r *rig) stored() int {
	r.t.Helper()
	kept, err := r.nats.JetStream().Stream(r.t.Context(), stream)
	if err != nil {
		return -1
	}
	return int(kept.CachedInfo().State.Msgs)
}

// kept are the events in the stream, by their places.
func (r *rig) kept() map[int]uuid.UUID {
	r.t.Helper()
	kept, err := r.nats.JetStream().Stream(r.t.Context(), stream)
	if err != nil {
		return nil
	}
	ids := map[int]uuid.UUID{}
	for place := 1; place <= int(kept.CachedInfo().State.LastSeq); place++ {
		msg, err := kept.GetMsg(r.t.Context(), uint64(place))
		if !errors.Is(err, jetstream.ErrMsgNotFound) {
			errtest.None(r.t, err)
			ids[place] = uuid.MustParse(msg.Header.Get(nats.MsgIdHdr))
		}
	}
	return ids
}

// eventuallyOnce waits until a consumer has dealt with n events, each once.
func (r *rig) eventuallyOnce(consumer string, n int) {
	r.t.Helper()
	waittest.Seen(r.t, "effects of "+consumer, func() (bool, string) {
		total, distinct := r.effects(consumer)
		return distinct >= n, fmt.Sprintf("%d effects on %d of %d events", total, distinct, n)
	})
	if total, distinct := r.effects(consumer); total != n || distinct != n {
		r.t.Fatalf("%s had %d effects on %d events, want %d on %d", consumer, total, distinct, n, n)
	}
}

// metric sums a metric over its labels, or only where one of them has the value.
func (r *replica) metric(name string, value ...string) (sum float64) {
	r.t.Helper()
	families, err := r.rt.Metrics.Gather()
	errtest.None(r.t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			has := func(l *dto.LabelPair) bool { return slices.Contains(value, l.GetValue()) }
			if family.GetName() == name && (len(value) == 0 || slices.ContainsFunc(m.GetLabel(), has)) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}
