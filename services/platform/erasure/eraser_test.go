package erasure

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	erasurev1 "fledge.dev/proto/gen/go/fledge/events/erasure/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
)

const (
	ann   = "0192f8a0-7a3b-7c1d-9e2f-00112233aabb"
	joann = "0192f8a0-7a3b-7c1d-9e2f-00112233aabc"
)

// rig is a database of a service.
type rig struct {
	testing.TB
	pool *pgxpool.Pool
}

func newRig(t testing.TB) *rig {
	t.Helper()
	url := pgtest.New(t, "erasure", func(ctx context.Context, url string) error { return pg.Migrate(ctx, url, bus.Migrations()) })
	pool := pgtest.Open(t, url)
	return &rig{t, pool}
}

func (r *rig) count(rows string) int {
	r.Helper()
	return pgtest.One[int](r, r.pool, "SELECT count(*) FROM "+rows)
}

// published adds published events of nobody, and changes them.
func (r *rig) published(n int, changes ...string) {
	r.Helper()
	pgtest.Exec(r, r.pool, fmt.Sprintf(`INSERT INTO outbox (id, type, source, subject, payload, stream_seq, published_at)
		SELECT gen_random_uuid(), 'fledge.waitlist.v1.staff.action', 'waitlist', n::text, decode(repeat('ab', 200), 'hex'), n, now() FROM generate_series(1, %d) AS n`, n))
	for _, sql := range changes {
		pgtest.Exec(r, r.pool, sql)
	}
}

func (r *rig) erase(e *OutboxEraser, request uuid.UUID, words ...string) error {
	return pgx.BeginFunc(r.Context(), r.pool, func(tx pgx.Tx) error { return e.Erase(r.Context(), tx, request, words...) })
}

func action(subject string, payload *auditv1.StaffAction) bus.Event {
	return bus.Event{Type: "fledge.waitlist.v1.staff.action", Subject: subject, Version: 1, Payload: payload}
}

// mentioning are events about a person, of each form in which an event can mention one.
func mentioning(id, email string) []bus.Event {
	return []bus.Event{
		action(id, &auditv1.StaffAction{}),
		action("1", &auditv1.StaffAction{ActorId: id}),
		action("2", &auditv1.StaffAction{SubjectLabel: strings.ToUpper(email)}),
		action("3", &auditv1.StaffAction{Before: `{"emails": ["` + email + `"]}`}),
		action("4", &auditv1.StaffAction{After: `{"by": "` + id + `"}`, UserAgent: "x"}),
	}
}

// others are events that mention nobody of ann's, although they look like it.
func others() []bus.Event {
	return append(mentioning(joann, "joann@example.com"),
		bus.Event{Type: Erased("waitlist"), Subject: ann, Payload: &erasurev1.UserErased{UserId: ann}},
		action("5", &auditv1.StaffAction{SubjectLabel: "ann@example.com.au", UserAgent: "not ann@example.com"}),
		action("6", &auditv1.StaffAction{SubjectLabel: "annyx@example.com"}))
}

func TestEventsThatMentionAnAccountAreErased(t *testing.T) {
	r := newRig(t)
	events := append(others(), append(mentioning(ann, "ann@example.com"),
		action("7", &auditv1.StaffAction{SubjectLabel: "ann_x@example.com"}),
		action("8", &auditv1.StaffAction{SubjectLabel: `an%\x@example.com`}))...)
	errtest.None(t, bus.Append(t.Context(), r.pool, events...))
	words := []string{ann, "ann@example.com", "ann_x@example.com", `an%\x@example.com`}
	if err := r.erase(NewOutboxEraser(r.pool), uuid.New(), words...); !errors.Is(err, fault.Unavailable) || r.count("outbox WHERE erased") != 0 {
		t.Fatalf("erased with %v what nobody has read", err)
	}
	errtest.None(t, r.erase(NewOutboxEraser(r.pool), uuid.New(), "nobody@example.com")) // who waits for nobody's events
	pgtest.Exec(r, r.pool, "UPDATE outbox SET stream_seq = seq, published_at = now()")
	for range 2 {
		errtest.None(t, r.erase(NewOutboxEraser(r.pool), uuid.New(), words...))
		if kept, erased := r.count(fmt.Sprintf("outbox WHERE NOT erased AND seq <= %d", len(others()))), r.count("outbox WHERE erased"); kept != len(others()) || erased != 7 {
			t.Errorf("%d events are erased of 7, and %d kept of %d", erased, kept, len(others()))
		}
	}
}

func TestDeadLettersOfAnAccountAreErased(t *testing.T) {
	r := newRig(t)
	for _, ev := range append(mentioning(joann, "joann@example.com"), mentioning(ann, "ann@example.com")...) {
		payload, err := proto.Marshal(ev.Payload)
		errtest.None(t, err)
		_, err = r.pool.Exec(t.Context(), `INSERT INTO dead_letter (consumer, event_id, type, headers, payload, reason)
			VALUES ('mail', gen_random_uuid(), $1, jsonb_build_object('Fledge-Subject', jsonb_build_array($2::text)), $3, 'no good')`,
			ev.Type, ev.Subject, payload)
		errtest.None(t, err)
	}
	errtest.None(t, r.erase(NewOutboxEraser(r.pool), uuid.New(), ann, "ann@example.com"))
	if ours, all := r.count("dead_letter WHERE headers::text LIKE '%"+ann+"%'"), r.count("dead_letter"); ours != 0 || all != 5 {
		t.Errorf("%d dead letters are left, %d of them of who is erased; want 5 of another person", all, ours)
	}
}

func TestAWholeOutboxIsErasedInSteps(t *testing.T) {
	r := newRig(t)
	r.published(2500, "UPDATE outbox SET subject = CASE WHEN seq % 5 < 2 THEN '"+ann+"' ELSE 'x' || subject END")
	errtest.None(t, r.erase(NewOutboxEraser(r.pool), uuid.New(), ann))
	if n := r.count("outbox WHERE erased"); n != 1000 {
		t.Errorf("%d events are erased of 1000", n)
	}
}

// TestAnErasureGoesOnWhereItStopped, when an outbox takes longer than one call may.
func TestAnErasureGoesOnWhereItStopped(t *testing.T) {
	r := newRig(t)
	r.published(2500, "UPDATE outbox SET subject = CASE WHEN seq % 5 = 0 THEN '"+ann+"' WHEN seq % 5 = 1 THEN '"+joann+"' ELSE subject END",
		"UPDATE outbox SET stream_seq = NULL WHERE seq = 1500")
	e, request := NewOutboxEraser(r.pool), uuid.New()
	e.patience = -1 // one step for each call
	for _, call := range []struct {
		who    string
		done   bool
		erased int
	}{
		{ann, false, 200},
		{joann, false, 400},
		{ann, false, 400}, // an event of theirs is not published
		{joann, false, 600},
		{joann, false, 700},
		{joann, true, 700},
		{ann, false, 700},
	} {
		if err := r.erase(e, request, call.who); (err == nil) != call.done || err != nil && !errors.Is(err, fault.Unavailable) {
			t.Fatalf("%+v: %v", call, err)
		}
		if n := r.count("outbox WHERE erased"); n != call.erased {
			t.Errorf("%+v: %d events are erased", call, n)
		}
	}
	// What has been read is not read again: only another request begins anew.
	pgtest.Exec(r, r.pool, "UPDATE outbox SET stream_seq = 1500 WHERE seq = 1500")
	pgtest.Exec(r, r.pool, "UPDATE outbox SET erased = false WHERE seq = 5")
	for n := range 3 {
		if err := r.erase(e, request, ann); (err == nil) != (n == 2) {
			t.Errorf("call %d: %v", n, err)
		}
	}
	if n := r.count("outbox WHERE erased"); n != 999 {
		t.Errorf("%d events are erased", n)
	}
	request = uuid.New()
	for range 4 {
		_ = r.erase(e, request, ann)
	}
	if n := r.count("outbox WHERE erased"); n != 1000 {
		t.Errorf("%d events are erased after another erasure", n)
	}
}

// TestAnErasureThatIsBegunAnewReadsAll, although this replica has read part of one with the same words, which another
// replica ended.
func TestAnErasureThatIsBegunAnewReadsAll(t *testing.T) {
	r := newRig(t)
	r.published(1500, "UPDATE outbox SET subject = '"+ann+"' WHERE seq % 5 = 0")
	one, other, request := NewOutboxEraser(r.pool), NewOutboxEraser(r.pool), uuid.New()
	one.patience = -1
	if err := r.erase(one, request, ann); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("read all in one step: %v", err)
	}
	errtest.None(t, r.erase(other, request, ann))
	pgtest.Exec(r, r.pool, "UPDATE outbox SET erased = false WHERE seq = 5")
	one.patience = time.Hour
	errtest.None(t, r.erase(one, uuid.New(), ann))
	if n := r.count("outbox WHERE erased"); n != 300 {
		t.Errorf("%d events are erased of 300", n)
	}
}

// TestWhetherAnAccountIsErasedIsKnownAtOnce, however many events there are.
func TestWhetherAnAccountIsErasedIsKnownAtOnce(t *testing.T) {
	r := newRig(t)
	r.published(10_000)
	for _, service := range []string{"waitlist", "billing"} {
		errtest.None(t, bus.Append(t.Context(), r.pool, bus.Event{Type: Erased(service), Subject: ann, Payload: &erasurev1.UserErased{UserId: ann}}))
	}
	plans := pgtest.RecordPlans(t, r.pool.Config().ConnString())
	for _, account := range []string{ann, joann} {
		plans.Of("an erased account is known", func() error {
			return pgx.BeginFunc(t.Context(), plans.Pool, func(tx pgx.Tx) error {
				is, err := IsErased(t.Context(), tx, "waitlist", uuid.MustParse(account))
				if is != (account == ann) {
					t.Errorf("%s is erased: %t", account, is)
				}
				return err
			})
		})
	}
}

var eraseRows = flag.Int("erase-rows", 100_000, "rows of the outbox in BenchmarkErase")

// BenchmarkErase measures how fast an erasure reads other people's events.
func BenchmarkErase(b *testing.B) {
	r := newRig(b)
	r.published(*eraseRows, "UPDATE outbox SET payload = convert_to(repeat(id || ' person@example.com ', 4), 'UTF8')", "VACUUM FULL ANALYZE outbox")
	e := NewOutboxEraser(r.pool)
	e.patience = time.Hour
	for b.Loop() {
		errtest.None(b, r.erase(e, uuid.New(), ann, "ann@example.com", "ann@example.org"))
	}
	b.ReportMetric(float64(*eraseRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
