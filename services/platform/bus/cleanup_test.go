package bus_test

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

func clean(t testing.TB, pool *pgxpool.Pool) error {
	t.Helper()
	return bus.Cleanup(pool).Run(t.Context())
}

// old adds published events from before the retention, and receipts of that age.
func (r *rig) old(n int, more ...string) {
	r.t.Helper()
	id := `(lpad(to_hex((extract(epoch FROM now() - interval '31 days') * 1000)::bigint + n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid`
	for _, sql := range append([]string{
		`INSERT INTO outbox (id, type, source, subject, payload, "time", stream_seq, published_at)
			SELECT ` + id + `, 'fledge.waitlist.v1.staff.action', 'waitlist', n::text, decode(repeat('ab', 200), 'hex'), now() - interval '8 days', n, now() - interval '8 days'
			FROM generate_series(1, $1) AS n`,
		`INSERT INTO inbox SELECT 'consumer ' || n % 3, ` + id + `, now() - interval '31 days' FROM generate_series(1, $1) AS n`,
	}, more...) {
		var args []any
		if strings.Contains(sql, "$1") {
			args = append(args, n)
		}
		if _, err := r.pool.Exec(r.t.Context(), sql, args...); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) rows(table string) (n int) {
	r.t.Helper()
	r.query("SELECT count(*) FROM "+table, nil, &n)
	return n
}

func TestCleaningKeepsWhatMayStillCome(t *testing.T) {
	r := newRig(t)
	r.old(2500,
		// Published lately, waiting since long, and received lately under an old id.
		`UPDATE outbox SET published_at = now() WHERE seq = 7`,
		`UPDATE outbox SET stream_seq = NULL, published_at = NULL WHERE seq = 8`,
		`UPDATE inbox SET received_at = now() - interval '29 days' WHERE ctid = (SELECT ctid FROM inbox ORDER BY event_id LIMIT 1)`)
	r.append(3)
	errtest.None(t, clean(t, r.pool))
	if outbox, inbox := r.rows("outbox"), r.rows("inbox"); outbox != 2+3 || inbox != 1 {
		t.Errorf("%d events and %d receipts are left", outbox, inbox)
	}
}

// TestWhatIsLockedIsCleanedLater, and neither it nor a cleaning that fails stops publishing.
func TestWhatIsLockedIsCleanedLater(t *testing.T) {
	r, _ := publishing(t)
	r.append(10)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	if _, err := r.pool.Exec(t.Context(), "UPDATE outbox SET published_at = now() - interval '8 days'"); err != nil {
		t.Fatal(err)
	}
	tx, err := r.pool.Begin(t.Context())
	errtest.None(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), "SELECT FROM outbox WHERE seq = 1 FOR SHARE"); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, clean(t, r.pool))
	if n := r.rows("outbox"); n != 1 {
		t.Errorf("%d events are left beside the one that is locked", n-1)
	}
	r.append(3)
	waittest.Eventually(t, "new events are published", func() bool { return r.pending() == 0 })
	errtest.None(t, tx.Rollback(t.Context()))
	errtest.None(t, clean(t, r.pool))
	if n := r.rows("outbox"); n != 3 {
		t.Errorf("%d events are left, want the new ones", n)
	}
}

// TestManyLockedRowsHideNoOthers: more of them than a statement reads come first.
func TestManyLockedRowsHideNoOthers(t *testing.T) {
	r := newRig(t)
	r.old(6000)
	tx, err := r.pool.Begin(t.Context())
	errtest.None(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	for _, lock := range []string{
		"SELECT FROM outbox WHERE seq <= 2500 FOR SHARE",
		"SELECT FROM inbox WHERE consumer = 'consumer 0' ORDER BY event_id LIMIT 1500 FOR SHARE",
	} {
		if _, err := tx.Exec(t.Context(), lock); err != nil {
			t.Fatal(err)
		}
	}
	errtest.None(t, clean(t, r.pool))
	if outbox, inbox := r.rows("outbox"), r.rows("inbox"); outbox != 2500 || inbox != 1500 {
		t.Errorf("%d events and %d receipts are left, want those that are locked", outbox, inbox)
	}
}

// TestWhatCannotBeCleanedKeepsNothingElse: the outbox, and a consumer's receipts.
func TestWhatCannotBeCleanedKeepsNothingElse(t *testing.T) {
	r := newRig(t)
	r.old(300, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`,
		"CREATE TRIGGER refuse BEFORE DELETE ON outbox EXECUTE FUNCTION refuse()",
		"CREATE TRIGGER refuse BEFORE DELETE ON inbox FOR EACH ROW WHEN (OLD.consumer = 'consumer 1') EXECUTE FUNCTION refuse()")
	if err := clean(t, r.pool); err == nil {
		t.Error("nobody is told")
	}
	if n := r.rows("inbox"); n != 100 {
		t.Errorf("%d receipts are left, want those of one consumer", n)
	}
}

var cleanRows = flag.Int("clean-rows", 100_000, "rows of the outbox and of the inbox in BenchmarkCleanup")

// BenchmarkCleanup measures how fast old rows go.
func BenchmarkCleanup(b *testing.B) {
	r := newRig(b)
	for b.Loop() {
		b.StopTimer()
		r.old(*cleanRows, "VACUUM ANALYZE outbox", "VACUUM ANALYZE inbox")
		b.StartTimer()
		began := time.Now()
		errtest.None(b, clean(b, r.pool))
		b.ReportMetric(2*float64(*cleanRows)/time.Since(began).Seconds(), "rows/s")
	}
}
