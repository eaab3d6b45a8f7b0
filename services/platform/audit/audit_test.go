package audit_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
)

var approved = audit.Action{
	Name: "waitlist.approved", Subject: "w1", Label: "ada@example.com",
	Before: audit.State{"status": "pending"}, After: audit.State{"status": "approved"},
}

var staff = audit.For(auditv1.Publisher_PUBLISHER_WAITLIST, audit.Terms{
	Actions: []audit.Name{"waitlist.approved", "waitlist.removed"}, Fields: []string{"status", "roles", "added", "is_available"},
})

func database(t *testing.T) *pgxpool.Pool {
	t.Helper()
	url := pgtest.NewEmpty(t)
	errtest.None(t, pg.Migrate(t.Context(), url, bus.Migrations()))
	return pgtest.Open(t, url)
}

func TestARecordSaysWhoDidWhatFromWhere(t *testing.T) {
	pool := database(t)
	errtest.None(t, staff.Record(audittest.As(t.Context()), pool, approved))
	want := &auditv1.StaffAction{
		ActorId: audittest.Staff.UserID, ActorEmail: "admin@fledge.test", Action: "waitlist.approved", Subject: "w1", SubjectLabel: "ada@example.com",
		Before: `{"status":"pending"}`, After: `{"status":"approved"}`,
		ClientIp: "203.0.113.7", UserAgent: "Safari/18", RequestId: "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8",
	}
	if got := audittest.Actions(t, pool); len(got) != 1 || !proto.Equal(got[0], want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
	var kind, source string
	errtest.None(t, pool.QueryRow(t.Context(), `SELECT type, source FROM outbox`).Scan(&kind, &source))
	if kind != "fledge.waitlist.v1.staff.action" || source != "waitlist" {
		t.Errorf("announced as %s by %s", kind, source)
	}
}

func TestARecordSharesTheFateOfItsTransaction(t *testing.T) {
	pool := database(t)
	tx, err := pool.Begin(t.Context())
	errtest.None(t, err)
	errtest.None(t, staff.Record(audittest.As(t.Context()), tx, approved))
	errtest.None(t, tx.Rollback(t.Context()))
	if got := audittest.Actions(t, pool); len(got) != 0 {
		t.Errorf("recorded %v", got)
	}
}

func TestWhatCannotBeRecorded(t *testing.T) {
	if _, err := staff.Event(t.Context(), approved); err == nil {
		t.Error("an action of nobody")
	}
	for name, spoil := range map[string]func(*audit.Action){
		"a name that nobody listed":  func(a *audit.Action) { a.Name = "waitlist.renamed" },
		"no name":                    func(a *audit.Action) { a.Name = "" },
		"a value that nobody listed": func(a *audit.Action) { a.After = audit.State{"message": "hello"} },
		"a long text":                func(a *audit.Action) { a.After = audit.State{"status": strings.Repeat("x", 201)} },
		"text that is none":          func(a *audit.Action) { a.After = audit.State{"status": "\xff"} },
		"a thing with parts":         func(a *audit.Action) { a.Before = audit.State{"status": map[string]string{"token": "x"}} },
		"a long list":                func(a *audit.Action) { a.Before = audit.State{"roles": make([]string, 11)} },
	} {
		action := approved
		spoil(&action)
		if _, err := staff.Event(audittest.As(t.Context()), action); err == nil {
			t.Errorf("%s was recorded", name)
		}
	}
	if _, err := staff.Event(audittest.As(t.Context()), audit.Action{Name: "waitlist.removed", Subject: "w1", After: audit.State{"roles": []string{"admin"}, "added": 7, "is_available": true}}); err != nil {
		t.Errorf("small values: %v", err)
	}
}

// TestReasons are taken as people paste them.
func TestReasons(t *testing.T) {
	long := strings.Repeat("я", 500)
	for typed, want := range map[string]string{
		" spam\n": "spam", "one\ttwo\rthree": "one\ttwo\nthree", "one\vtwo\x00": "one\ntwo", "\x1b[31mspam\x1b[0m": "spam", long + " ": long,
	} {
		if got, err := audit.ParseReason(typed); err != nil || got != want {
			t.Errorf("%q became %q, %v", typed, got, err)
		}
	}
	for _, typed := range []string{"", " \n", "\x1b[0m", "\xff", long + "x"} {
		if got, err := audit.ParseReason(typed); fault.Of(err) == nil || fault.Of(err).Reason != "invalid_reason" {
			t.Errorf("%q became %q, %v", typed, got, err)
		}
	}
}
