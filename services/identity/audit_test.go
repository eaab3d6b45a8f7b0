package identity_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// colleague is another service: an outbox and its relay.
func (r *rig) colleague(name string) *pgxpool.Pool {
	r.t.Helper()
	url := pgtest.NewEmpty(r.t)
	errtest.None(r.t, pg.Migrate(r.t.Context(), url, bus.Migrations()))
	pool := pgtest.Open(r.t, url)
	rt := service.NewRuntime(name, "test", slog.New(slog.DiscardHandler))
	r.runBus(rt, func(conn *bus.Conn) service.Unit { return conn.Relay(pool) })
	return pool
}

// runBus runs a unit of another service with a connection of its own.
func (r *rig) runBus(rt *service.Runtime, unit func(*bus.Conn) service.Unit) {
	r.t.Helper()
	conn := bus.Connect(bus.Config{URL: r.nats.URL(), Replicas: 1}, rt)
	using := unit(conn) // before the connection opens
	for _, u := range []service.Unit{conn.Unit(), using} {
		stop, err := u.Start(r.t.Context())
		errtest.None(r.t, err)
		r.t.Cleanup(func() { _ = stop(context.Background()) })
	}
}

// auditLog reads the audit log until it has as many entries as are awaited, without those of the bootstrap
// setting, which make the tests' admins.
func (r *rig) auditLog(as context.Context, want int) (entries []*identityv1.AuditEntry) {
	r.t.Helper()
	waittest.Seen(r.t, fmt.Sprintf("%d entries", want), func() (bool, string) {
		resp, err := r.ListAuditEntries(as, &identityv1.ListAuditEntriesRequest{})
		errtest.None(r.t, err)
		entries = slices.DeleteFunc(resp.GetEntries(), func(e *identityv1.AuditEntry) bool { return e.GetActorEmail() == "bootstrap" })
		return len(entries) >= want, fmt.Sprint(len(entries))
	})
	return entries
}

// TestWhatStaffChangesAnywhereIsLoggedOnce, though NATS forgets everything and is
// told again.
func TestWhatStaffChangesAnywhereIsLoggedOnce(t *testing.T) {
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	waitlistStaff := audit.For(auditv1.Publisher_PUBLISHER_WAITLIST, audit.Terms{Actions: []audit.Name{"waitlist.approved", "waitlist.removed"}, Fields: []string{"status"}})
	releasesStaff := audit.For(auditv1.Publisher_PUBLISHER_RELEASES, audit.Terms{Actions: []audit.Name{"release.rollout_changed"}})
	waitlist, releases := r.colleague("waitlist"), r.colleague("releases")
	acting := audittest.As(t.Context())
	for n := range 5 {
		action := audit.Action{Name: "waitlist.approved", Subject: fmt.Sprint(n), Before: audit.State{"status": "pending"}, After: audit.State{"status": "approved"}}
		errtest.None(t, waitlistStaff.Record(acting, waitlist, action))
	}
	errtest.None(t, releasesStaff.Record(acting, releases, audit.Action{Name: "release.rollout_changed", Subject: "7", Label: "v1.2.3"}))
	r.setRoles(boss, ann, moderator)
	r.auditLog(r.as(boss), 7)
	r.nats.Wipe()
	r.setRoles(boss, ann) // comes after what is published again
	errtest.None(t, waitlistStaff.Record(acting, waitlist, audit.Action{Name: "waitlist.removed", Subject: "0"}))
	seen := map[string]int{}
	for _, e := range r.auditLog(r.as(boss), 9) {
		seen[e.GetAction()+" "+e.GetSubject()]++
		if e.GetAction() == "release.rollout_changed" && (e.GetActorEmail() != audittest.Staff.Email || e.GetSubjectLabel() != "v1.2.3" ||
			e.GetClientIp() != "203.0.113.7" || e.GetUserAgent() != "Safari/18" || e.GetRequestId() == "" || e.GetBefore() != "" || time.Since(e.GetAt().AsTime()) > time.Hour) {
			t.Errorf("the entry %v", e)
		}
	}
	id := ann.GetUser().GetId()
	for what, times := range map[string]int{"waitlist.approved 0": 1, "waitlist.approved 4": 1, "waitlist.removed 0": 1, "release.rollout_changed 7": 1, "user.roles_changed " + id: 2} {
		if seen[what] != times {
			t.Errorf("%s was logged %d times, not %d", what, seen[what], times)
		}
	}
}

func TestTheAuditLogIsForAdmins(t *testing.T) {
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	r.setRoles(boss, ann, moderator)
	if _, err := r.ListAuditEntries(r.as(ann), &identityv1.ListAuditEntriesRequest{}); fault.Of(err).Kind != fault.Forbidden {
		t.Errorf("a moderator reads the log: %v", err)
	}
	for reason, req := range map[string]*identityv1.ListAuditEntriesRequest{
		"invalid_cursor": {Cursor: keyset.Format('u').Encode(keyset.Start)}, "invalid_limit": {Limit: 101}, "invalid_search": {Search: strings.Repeat("я", 255)}, "invalid_actor": {Actor: strings.Repeat("я", 255)}, "invalid_action": {Action: "ticket.vanished"},
	} {
		if _, err := r.ListAuditEntries(r.as(boss), req); err == nil || fault.Of(err).Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
	long := strings.Repeat("я", 254) // characters, not bytes
	if _, err := r.ListAuditEntries(r.as(boss), &identityv1.ListAuditEntriesRequest{Search: long + "\x00\n", Actor: "\x1b[1m" + long, Action: "ticket.updated"}); err != nil {
		t.Error(err)
	}
}
