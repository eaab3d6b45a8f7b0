package identity_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	erasurev1 "fledge.dev/proto/gen/go/fledge/events/erasure/v1"
	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/erasure"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/bus"
	platform "fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

func (r *rig) deleteAccount(of *identityv1.Session) time.Time {
	r.t.Helper()
	resp, err := r.DeleteAccount(r.as(of), &identityv1.DeleteAccountRequest{})
	errtest.None(r.t, err)
	return resp.GetEraseAt().AsTime()
}

// logged tells whether the log has a message about an account. After a restore of all databases operators look for them, as
// deploy/docs/operations.md says.
func (r *rig) logged(message, account string) bool {
	for line := range strings.Lines(r.log.String()) {
		var entry struct{ Msg, User string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == message && entry.User == account {
			return true
		}
	}
	return false
}

func (r *rig) createSession(cookie string) (*identityv1.CreateSessionResponse, error) {
	return r.CreateSession(r.t.Context(), &identityv1.CreateSessionRequest{Cookie: cookie, UserAgent: "test", IpAddress: "127.0.0.1"})
}

func TestADeletionCanBeTakenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cookie := r.kratos.signIn("ann@example.com", true)
	browser := r.session(cookie)
	mac := r.mac(browser)
	other := r.session(r.kratos.signIn("joann@example.com", true))
	if in := time.Until(r.deleteAccount(browser)); in < 167*time.Hour || in > 168*time.Hour+time.Second { // by the clock of PostgreSQL, which is known within milliseconds
		t.Errorf("erased in %s, want a week", in)
	}
	for name, s := range map[string]*identityv1.Session{"browser": browser, "Mac": mac} {
		if _, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: s.GetRefreshToken()}); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("the %s is still signed in: %v", name, err)
		}
		if _, err := r.DeleteAccount(r.as(s), &identityv1.DeleteAccountRequest{}); err == nil {
			t.Errorf("the %s deletes again", name)
		}
	}
	if _, err := r.createSession(cookie); err == nil {
		t.Error("the cookie from before opens a session")
	}
	if _, err := r.ListDevices(r.as(other), &identityv1.ListDevicesRequest{}); err != nil {
		t.Errorf("somebody else: %v", err)
	}

	again := r.kratos.signIn("ann@example.com", true)
	first, err := r.createSession(again)
	if err != nil || !first.GetDeletionTakenBack() || first.GetSession().GetUser().GetId() != browser.GetUser().GetId() {
		t.Fatalf("after signing in: %v, %v", first, err)
	}
	if second, err := r.createSession(again); err != nil || second.GetDeletionTakenBack() {
		t.Errorf("and then: %v, %v", second, err)
	}
	if _, err := r.ListDevices(r.as(first.GetSession()), &identityv1.ListDevicesRequest{}); err != nil {
		t.Error(err)
	}
	for _, message := range []string{"an account is to be deleted", "an account is no longer to be deleted"} {
		if !r.logged(message, browser.GetUser().GetId()) {
			t.Errorf("the log does not have %q", message)
		}
	}
	for query, want := range map[string]int{
		"SELECT count(*) FROM outbox WHERE type = 'fledge.identity.v1.user.disabled'":                                      1,
		"SELECT count(*) FROM outbox WHERE type = 'fledge.identity.v1.user.enabled'":                                       1,
		"SELECT count(*) FROM outbox WHERE type = 'fledge.identity.v1.user.deleted'":                                       0,
		"SELECT count(*) FROM mail.river_job WHERE args->>'key' LIKE 'deletion-begun/%'":                                   1,
		"SELECT count(*) FROM mail.river_job WHERE args->>'key' LIKE 'deletion-taken-back/%'":                              1,
		"SELECT count(*) FROM mail.river_job WHERE args->'message'->>'To' <> 'ann@example.com'":                            0,
		"SELECT count(*) FROM users WHERE disabled_at IS NOT NULL OR disabled_because IS NOT NULL OR erase_at IS NOT NULL": 0,
	} {
		var n int
		if err := r.db.QueryRow(t.Context(), query).Scan(&n); err != nil || n != want {
			t.Errorf("%s: %d, %v; want %d", query, n, err, want)
		}
	}
}

// TestNobodySignsInWhileTheyAreErased: there is no session for it, and no email about a new device.
func TestNobodySignsInWhileTheyAreErased(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.deleteAccount(r.session(r.kratos.signIn("ann@example.com", true)))
	count := func(query string) (n int) {
		t.Helper()
		errtest.None(t, r.db.QueryRow(t.Context(), query).Scan(&n))
		return n
	}
	const families, emails = "SELECT count(*) FROM session_families WHERE revoked_at IS NULL", "SELECT count(*) FROM mail.river_job WHERE args->>'key' LIKE 'new-device/%'"
	told := count(emails)
	_, err := r.db.Exec(t.Context(), "UPDATE users SET erase_at = now()")
	errtest.None(t, err)
	r.awaitDeleted()
	if _, err := r.createSession(r.kratos.signIn("ann@example.com", true)); fault.Of(err).Reason != "account_disabled" {
		t.Errorf("signed in: %v", err)
	}
	if sessions, emails := count(families), count(emails); sessions != 0 || emails != told {
		t.Errorf("%d sessions, %d emails, %d before", sessions, emails, told)
	}
}

func TestOnlyAFreshSignInDeletes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	browser := r.session(r.kratos.signInAt("ann@example.com", time.Now().Add(-16*time.Minute)))
	for name, s := range map[string]*identityv1.Session{"browser": browser, "Mac": r.mac(browser)} {
		if _, err := r.DeleteAccount(r.as(s), &identityv1.DeleteAccountRequest{}); fault.Of(err).Reason != "fresh_sign_in_required" {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Kratos opens another session for whoever proves again who they are.
	r.deleteAccount(r.session(r.kratos.signIn("ann@example.com", true)))
}

// TestAClockThatIsAheadMakesNoSignInFresher: Kratos' times count no later than now.
func TestAClockThatIsAheadMakesNoSignInFresher(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	browser := r.session(r.kratos.signInAt("ann@example.com", time.Now().Add(2*time.Hour)))
	var ahead bool
	if err := r.db.QueryRow(t.Context(), "SELECT authenticated_at > now() FROM session_families WHERE id = $1", r.principal(browser).SessionID).Scan(&ahead); err != nil || ahead {
		t.Errorf("signed in later than now: %t, %v", ahead, err)
	}
}

// TestAMacDeletesTheAccount as a browser does, while the sign-in that it was handed is fresh.
func TestAMacDeletesTheAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	browser := r.session(r.kratos.signIn("ann@example.com", true))
	mac := r.mac(browser)
	r.deleteAccount(mac)
	for name, s := range map[string]*identityv1.Session{"browser": browser, "Mac": mac} {
		if _, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: s.GetRefreshToken()}); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("the %s is still signed in: %v", name, err)
		}
	}
	again, err := r.createSession(r.kratos.signIn("ann@example.com", true))
	if err != nil || !again.GetDeletionTakenBack() {
		t.Errorf("after signing in: %v, %v", again, err)
	}
}

func TestTheLastAdminStays(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	if _, err := r.DeleteAccount(r.as(boss), &identityv1.DeleteAccountRequest{}); fault.Of(err).Reason != "last_admin" {
		t.Errorf("the last admin: %v", err)
	}
	r.session(r.kratos.signIn("admin@fledge.test", true))
	r.deleteAccount(boss)
}

// TestNothingIsLeftOfAnErasedAccount, once every service has answered.
func TestNothingIsLeftOfAnErasedAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t, "DELETION_GRACE=0s", "SMTP_ADDR="+smtptest.Start(t, nil).Addr(), "SMTP_TLS=none")
	services := map[string]*pgxpool.Pool{}
	for _, name := range erasure.Services() {
		services[name] = r.colleague(name)
	}
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	joann := r.session(r.kratos.signIn("joann@example.com", true))
	id := uuid.MustParse(ann.GetUser().GetId())
	r.mac(ann)
	r.grant(ann)
	r.setRoles(boss, ann, moderator)
	r.setRoles(boss, joann, moderator)
	// Ann works as staff, with a second factor.
	report := fmt.Sprintf(`{"flow_id":%q,"identity":{"id":%q}}`, uuid.NewString(), id)
	if status, _ := r.hook("/hooks/kratos/second-factor", hookKey, report); status != http.StatusNoContent {
		t.Fatalf("her second factor: %d", status)
	}
	waitlistStaff := audit.For(auditv1.Publisher_PUBLISHER_WAITLIST, audit.Terms{Actions: []audit.Name{"waitlist.approved"}})
	approved := audit.Action{Name: "waitlist.approved", Subject: uuid.NewString(), Label: "ann@example.com"}
	errtest.None(t, waitlistStaff.Record(audittest.As(t.Context()), services["waitlist"], approved))
	// An address that only the waitlist knows to be hers.
	invited := audit.Action{Name: "waitlist.approved", Subject: uuid.NewString(), Label: "ann@invited.example.com"}
	errtest.None(t, waitlistStaff.Record(audittest.As(t.Context()), services["waitlist"], invited))
	r.auditLog(r.as(boss), 5)
	r.deleteAccount(ann)
	deleted := r.awaitDeleted()
	if deleted.GetUserId() != id.String() || !slices.Equal(deleted.GetEmails(), []string{"ann@example.com"}) {
		t.Errorf("the services are told %v", deleted)
	}
	for name, outbox := range services {
		if name == "support" {
			continue
		}
		var further []string
		if name == "waitlist" {
			further = []string{invited.Label}
		}
		r.answer(outbox, name, id, further...)
	}
	var kept int
	waittest.Eventually(t, "three services have answered", func() bool {
		err := r.db.QueryRow(t.Context(), "SELECT count(*) FROM erasure_answers").Scan(&kept)
		return err == nil && kept == 3
	})
	if !r.kratos.knows(id) || len(erasuretest.Search(t, r.db, "ann@example.com")) == 0 {
		t.Error("the account was erased before every service had answered")
	}
	if _, err := r.createSession(r.kratos.signIn("ann@example.com", true)); err == nil {
		t.Error("the deletion was taken back although the services erase")
	}
	r.answer(services["support"], "support", id)
	waittest.Eventually(t, "the account is erased", func() bool {
		var finished bool
		err := r.db.QueryRow(t.Context(), "SELECT finished_at IS NOT NULL FROM erasures WHERE user_id = $1", id).Scan(&finished)
		return err == nil && finished
	})
	if r.kratos.knows(id) {
		t.Error("Kratos knows the person")
	}
	waittest.Eventually(t, "the log says that the account is erased", func() bool { return r.logged("an account is erased", id.String()) })
	// An event that comes late brings nothing back.
	late, err := waitlistStaff.Event(audittest.As(t.Context()), approved)
	errtest.None(t, err)
	late.Time = time.Now().Add(-time.Minute)
	errtest.None(t, bus.Append(t.Context(), services["waitlist"], late))
	r.auditLog(r.as(boss), 6)
	waittest.Seen(t, "the address is nowhere", func() (bool, string) {
		places := erasuretest.Search(t, r.db, "ann@example.com", invited.Label)
		return len(places) == 0, strings.Join(places, ", ")
	})
	if places := erasuretest.Search(t, r.db, "joann@example.com"); len(places) == 0 {
		t.Error("joann@example.com went, too")
	}
	allowed := []string{"erasures.user_id", "erasure_answers.user_id", "audit_log.actor_id", "audit_log.subject", "audit_log.haystack"}
	for _, place := range erasuretest.Search(t, r.db, id.String()) {
		if !slices.Contains(allowed, strings.TrimPrefix(place, "public.")) {
			t.Errorf("the id is in %s", place)
		}
	}
	stranger := r.session(r.kratos.signInAs(uuid.New(), "ann@example.com"))
	if stranger.GetUser().GetId() == id.String() {
		t.Error("the stranger is the old account")
	}
	// What staff do to who has the address now is recorded with it.
	approved.Reason = "asked again"
	errtest.None(t, waitlistStaff.Record(audittest.As(t.Context()), services["waitlist"], approved))
	if e := r.auditLog(r.as(boss), 7)[0]; e.GetSubjectLabel() != "ann@example.com" || e.GetReason() != "asked again" {
		t.Errorf("recorded %v", e)
	}
}

// TestAnAccountThatWasDeletedInKratosIsErased once the time is over in which a Kratos that lost
// it could be restored.
func TestAnAccountThatWasDeletedInKratosIsErased(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.session(r.kratos.signIn("ann@example.com", true)).GetUser().GetId()
	bob := r.session(r.kratos.signIn("bob@example.com", true)).GetUser().GetId()
	for id, days := range map[string]int{ann: 8, bob: 6} {
		_, err := r.db.Exec(t.Context(), "UPDATE users SET disabled_because = 'gone', disabled_at = now() - make_interval(days => $2) WHERE id = $1", id, days)
		errtest.None(t, err)
	}
	if deleted := r.awaitDeleted(); deleted.GetUserId() != ann {
		t.Errorf("the services are told %v", deleted)
	}
	var state string
	if err := r.db.QueryRow(t.Context(), "SELECT disabled_because FROM users WHERE id = $1", bob).Scan(&state); err != nil || state != "gone" {
		t.Errorf("who is gone for six days is %s, %v", state, err)
	}
}

// answer is what a service says that knew further addresses of the account.
func (r *rig) answer(outbox *pgxpool.Pool, service string, id uuid.UUID, further ...string) {
	r.t.Helper()
	answer := &erasurev1.UserErased{UserId: id.String()}
	for _, address := range further {
		hash := sha256.Sum256([]byte(address))
		answer.AddressHashes = append(answer.AddressHashes, hash[:])
	}
	errtest.None(r.t, bus.Append(r.t.Context(), outbox, bus.Event{Type: platform.Erased(service), Subject: id.String(), Payload: answer}))
}

// awaitDeleted returns what the event says that an account ends, as soon as it is about to be published.
func (r *rig) awaitDeleted() *eventsv1.UserDeleted {
	r.t.Helper()
	var payload []byte
	waittest.Eventually(r.t, platform.Deleted, func() bool {
		return r.db.QueryRow(r.t.Context(), "SELECT payload FROM outbox WHERE type = $1", platform.Deleted).Scan(&payload) == nil
	})
	event := &eventsv1.UserDeleted{}
	errtest.None(r.t, proto.Unmarshal(payload, event))
	return event
}
