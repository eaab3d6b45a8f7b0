package bus_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/trace"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

func TestAppendIsPartOfTheTransaction(t *testing.T) {
	r := newRig(t)
	tx, err := r.pool.Begin(t.Context())
	errtest.None(t, err)
	errtest.None(t, bus.Append(t.Context(), tx, staffAction("1"), staffAction("2")))
	if got := r.pending(); got != 0 {
		t.Errorf("%d rows are visible before the commit", got)
	}
	errtest.None(t, tx.Rollback(t.Context()))
	if got := r.pending(); got != 0 {
		t.Errorf("%d rows survived the rollback", got)
	}
	if err := bus.Append(t.Context(), r.pool); err != nil {
		t.Errorf("no events: %v", err)
	}
}

func TestAppendFillsTheEnvelope(t *testing.T) {
	r := newRig(t)
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	ctx := trace.ContextWithSpanContext(t.Context(), span)
	set := staffAction("2")
	set.ID, set.Time, set.Source = uuid.New(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "import"
	errtest.None(t, bus.Append(ctx, r.pool, staffAction("1"), set))
	rows, err := r.pool.Query(ctx, `SELECT id, "time", source, subject, version, traceparent FROM outbox ORDER BY seq`)
	errtest.None(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		ID          uuid.UUID
		Time        time.Time
		Source      string
		Subject     string
		Version     int64
		Traceparent string
	}])
	errtest.None(t, err)
	if len(got) != 2 || got[0].ID.Version() != 7 || time.Since(got[0].Time).Abs() > time.Minute || got[0].Source != "waitlist" || got[0].Version != 1 {
		t.Errorf("defaults: %+v", got)
	}
	if got[1].ID != set.ID || !got[1].Time.Equal(set.Time) || got[1].Source != "import" || got[1].Subject != "2" {
		t.Errorf("set: %+v", got[1])
	}
	if !strings.Contains(got[0].Traceparent, span.TraceID().String()) {
		t.Errorf("traceparent %q", got[0].Traceparent)
	}
}

func TestAppendRefusesEventsThatNobodyCouldRead(t *testing.T) {
	r := newRig(t)
	for name, spoil := range map[string]func(*bus.Event){
		"no service":     func(e *bus.Event) { e.Type = "fledge.v1.staff.action" },
		"upper case":     func(e *bus.Event) { e.Type = "fledge.waitlist.v1.Staff.action" },
		"other message":  func(e *bus.Event) { e.Type = "fledge.identity.v1.user.roles_changed" },
		"other version":  func(e *bus.Event) { e.Type = "fledge.waitlist.v2.staff.action" },
		"no subject":     func(e *bus.Event) { e.Subject = "" },
		"subject of two": func(e *bus.Event) { e.Subject = "1\r\nNats-Msg-Id: x" },
		"negative":       func(e *bus.Event) { e.Version = -1 },
		"no payload":     func(e *bus.Event) { e.Payload = nil },
		"too much": func(e *bus.Event) {
			e.Payload = &auditv1.StaffAction{SubjectLabel: strings.Repeat("x", bus.MaxPayload)}
		},
		"not valid UTF-8": func(e *bus.Event) { e.Payload = &auditv1.StaffAction{SubjectLabel: "\xff"} },
	} {
		t.Run(name, func(t *testing.T) {
			ev := staffAction("1")
			spoil(&ev)
			if err := bus.Append(t.Context(), r.pool, staffAction("good"), ev); err == nil {
				t.Error("appended")
			}
		})
	}
	if got := r.pending(); got != 0 {
		t.Errorf("%d rows were written", got)
	}
}

func TestLargestEventIsPublished(t *testing.T) {
	r, _ := publishing(t)
	ev := staffAction(strings.Repeat("s", 255))
	ev.Payload = &auditv1.StaffAction{SubjectLabel: strings.Repeat("x", bus.MaxPayload-4)}
	r.appendEvents(ev)
	waittest.Seen(t, "it is published", func() (bool, string) { return r.pending() == 0, "waits" })
}
