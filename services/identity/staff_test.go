package identity_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

const (
	active   = identityv1.UserState_USER_STATE_ACTIVE
	disabled = identityv1.UserState_USER_STATE_DISABLED
	deleting = identityv1.UserState_USER_STATE_DELETING
)

// setState is what by does to whom.
func (r *rig) setState(by, whom *identityv1.Session, to identityv1.UserState) *identityv1.ListedUser {
	r.t.Helper()
	resp, err := r.SetUserState(r.as(by), &identityv1.SetUserStateRequest{UserId: whom.GetUser().GetId(), State: to, Reason: " because "})
	errtest.None(r.t, err)
	return resp.GetUser()
}

// out reports whether a session has ended.
func (r *rig) out(s *identityv1.Session) bool {
	r.t.Helper()
	_, err := r.RefreshSession(r.t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: s.GetRefreshToken()})
	return errors.Is(err, fault.Unauthenticated)
}

func (r *rig) count(query string, args ...any) int {
	r.t.Helper()
	return pgtest.One[int](r.t, r.db, query, args...)
}

func TestStaffDisableAndEnable(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	cookie := r.kratos.signIn("ann@example.com", true)
	browser := r.session(cookie)
	mac, id := r.mac(browser), browser.GetUser().GetId()

	got := r.setState(boss, browser, disabled)
	if got.GetState() != disabled || got.GetDisabledBecause() != identityv1.DisabledReason_DISABLED_REASON_STAFF || time.Since(got.GetDisabledAt().AsTime()) > time.Minute {
		t.Errorf("disabled: %v", got)
	}
	if !r.out(browser) || !r.out(mac) || !r.kratos.refuses(id) {
		t.Error("still signed in")
	}
	if resp, err := r.CheckAccess(t.Context(), &identityv1.CheckAccessRequest{UserId: id, SessionId: r.principal(browser).SessionID}); err != nil || resp.GetActive() || resp.GetSignedIn() {
		t.Errorf("services are told %v, %v", resp, err)
	}
	// Kratos lost that it was told: nothing opens here all the same.
	if _, err := r.createSession(r.kratos.signIn("ann@example.com", true)); fault.Of(err).Reason != "account_disabled" {
		t.Errorf("signing in: %v", err)
	}
	r.setState(boss, browser, disabled) // changes nothing

	if got := r.setState(boss, browser, active); got.GetState() != active || got.GetDisabledAt() != nil || got.GetDisabledBecause() != 0 {
		t.Errorf("enabled: %v", got)
	}
	if r.kratos.refuses(id) || !r.out(browser) || !r.out(mac) {
		t.Error("Kratos refuses, or a session came back")
	}
	r.session(r.kratos.signIn("ann@example.com", true))

	entries := r.auditLog(r.as(boss), 2)
	if len(entries) != 2 || entries[0].GetAction() != "user.enabled" || entries[1].GetAction() != "user.disabled" ||
		entries[1].GetReason() != "because" || entries[1].GetSubject() != id || entries[1].GetSubjectLabel() != "ann@example.com" ||
		entries[1].GetBefore() != `{"state": "active"}` || entries[1].GetAfter() != `{"state": "disabled"}` {
		t.Errorf("recorded %v", entries)
	}
	for _, event := range []string{"disabled", "enabled"} {
		if n := r.count("SELECT count(*) FROM outbox WHERE type = 'fledge.identity.v1.user.' || $1", event); n != 1 {
			t.Errorf("%s was announced %d times", event, n)
		}
	}
}

// TestKratosHearsOfItLater: an account is disabled at once while Kratos is down, and is told
// when it is back, also by another process.
func TestKratosHearsOfItLater(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	r.kratos.status.Store(http.StatusServiceUnavailable)
	if got := r.setState(boss, ann, disabled); got.GetState() != disabled || !r.out(ann) {
		t.Errorf("while Kratos is down: %v", got)
	}
	r.kratos.status.Store(0)
	waittest.Eventually(t, "Kratos is told", func() bool { return r.kratos.refuses(ann.GetUser().GetId()) })
	waittest.Eventually(t, "and not again", func() bool { return r.count("SELECT count(*) FROM users WHERE kratos_state IS NOT NULL") == 0 })
}

func TestStaffSignOut(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	cookie, other := r.kratos.signIn("ann@example.com", true), r.kratos.signIn("ann@example.com", true)
	browser, second := r.session(cookie), r.session(other)
	mac := r.mac(browser)
	joann := r.session(r.kratos.signIn("joann@example.com", true))
	id := browser.GetUser().GetId()

	list, err := r.ListUserDevices(r.as(boss), &identityv1.ListUserDevicesRequest{UserId: id})
	if err != nil || len(list.GetDevices()) != 3 || len(list.GetSignIns()) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	revoke := func(device string) error {
		_, err := r.RevokeUserDevice(r.as(boss), &identityv1.RevokeUserDeviceRequest{UserId: id, DeviceId: device, Reason: "because"})
		return err
	}
	if err := revoke(r.principal(joann).SessionID); fault.Of(err).Reason != "unknown_device" || r.out(joann) {
		t.Errorf("somebody else's: %v", err)
	}
	errtest.None(t, errors.Join(revoke(r.principal(second).SessionID), revoke(r.principal(second).SessionID)))
	if !r.out(second) || r.out(mac) {
		t.Error("not that device alone is out")
	}
	if _, err := r.createSession(other); err == nil {
		t.Error("its cookie opens another session")
	}
	var agent string
	if err := r.db.QueryRow(t.Context(), "SELECT user_agent FROM session_families WHERE id = $1", r.principal(second).SessionID).Scan(&agent); err != nil || agent == "" {
		t.Errorf("what the device was is forgotten: %q, %v", agent, err)
	}
	resp, err := r.SignOutUser(r.as(boss), &identityv1.SignOutUserRequest{UserId: id, Reason: "because"})
	if err != nil || resp.GetEnded() != 2 || !r.out(mac) {
		t.Errorf("%v, %v", resp, err)
	}
	list, err = r.ListUserDevices(r.as(boss), &identityv1.ListUserDevicesRequest{UserId: id})
	if err != nil || len(list.GetDevices()) != 0 || len(list.GetSignIns()) != 3 || list.GetSignIns()[0].GetEndedAt() == nil {
		t.Errorf("%v, %v", list, err)
	}
	entries := r.auditLog(r.as(boss), 2)
	if len(entries) != 2 || entries[0].GetAction() != "user.signed_out" || entries[0].GetAfter() != `{"sessions": 2}` ||
		entries[1].GetAction() != "user.device_revoked" || entries[1].GetAfter() != `{"device": "browser"}` {
		t.Errorf("recorded %v", entries)
	}
}

func TestStaffDelete(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	remove := func(whom *identityv1.Session) (*identityv1.ListedUser, error) {
		resp, err := r.DeleteUser(r.as(boss), &identityv1.DeleteUserRequest{UserId: whom.GetUser().GetId(), Reason: "because"})
		return resp.GetUser(), err
	}
	ann, bob := r.session(r.kratos.signIn("ann@example.com", true)), r.session(r.kratos.signIn("bob@example.com", true))
	got, err := remove(ann)
	if err != nil || got.GetState() != deleting || time.Until(got.GetEraseAt().AsTime()) < 167*time.Hour || !r.out(ann) {
		t.Fatalf("%v, %v", got, err)
	}
	if _, err := remove(ann); fault.Of(err).Reason != "account_deleting" {
		t.Errorf("again: %v", err)
	}
	if _, err := r.SetUserState(r.as(boss), &identityv1.SetUserStateRequest{UserId: ann.GetUser().GetId(), State: disabled, Reason: "because"}); fault.Of(err).Reason != "account_deleting" {
		t.Errorf("disabled: %v", err)
	}
	if back, err := r.createSession(r.kratos.signIn("ann@example.com", true)); err != nil || !back.GetDeletionTakenBack() {
		t.Errorf("signing in: %v, %v", back, err)
	}

	// Who is disabled cannot take it back, even while Kratos does not know of it; staff can.
	r.kratos.deaf.Store(true)
	r.setState(boss, bob, disabled)
	if _, err := remove(bob); err != nil {
		t.Fatal(err)
	}
	if _, err := r.createSession(r.kratos.signIn("bob@example.com", true)); err == nil {
		t.Error("a disabled person took the deletion back")
	}
	if got := r.setState(boss, bob, active); got.GetState() != active || got.GetEraseAt() != nil {
		t.Errorf("taken back by staff: %v", got)
	}
	for key, want := range map[string]int{"deletion-begun/%": 2, "deletion-taken-back/%": 2} {
		if n := r.count("SELECT count(*) FROM mail.river_job WHERE args->>'key' LIKE $1", key); n != want {
			t.Errorf("%s: %d emails, want %d", key, n, want)
		}
	}
}

// TestSomebodyCanAlwaysAdminister: of two admins who disable, or delete, each other at the same
// time, one stays.
func TestSomebodyCanAlwaysAdminister(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, admin := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("admin@fledge.test", true))
	for name, refused := range map[string]error{
		"disables oneself": second(r.SetUserState(r.as(boss), &identityv1.SetUserStateRequest{UserId: boss.GetUser().GetId(), State: disabled, Reason: "because"})),
		"deletes oneself":  second(r.DeleteUser(r.as(boss), &identityv1.DeleteUserRequest{UserId: boss.GetUser().GetId(), Reason: "because"})),
	} {
		if !errors.Is(refused, fault.Conflict) || fault.Of(refused).Reason != "yourself" {
			t.Errorf("%s: %v", name, refused)
		}
	}
	failures := make(chan error, 2)
	for by, whom := range map[*identityv1.Session]*identityv1.Session{boss: admin, admin: boss} {
		go func() {
			_, err := r.SetUserState(r.as(by), &identityv1.SetUserStateRequest{UserId: whom.GetUser().GetId(), State: disabled, Reason: "because"})
			failures <- err
		}()
	}
	if first, second := <-failures, <-failures; (first == nil) == (second == nil) {
		t.Errorf("%v and %v", first, second)
	}
	if n := r.count("SELECT count(*) FROM users WHERE disabled_at IS NULL"); n != 1 {
		t.Errorf("%d admins are left", n)
	}
}

func second[T any](_ T, err error) error { return err }

func TestAPersonByIDOrAddress(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	id := ann.GetUser().GetId()
	for _, text := range []string{id, strings.ToUpper(id), " Ann@Example.com "} {
		resp, err := r.GetPerson(r.as(boss), &identityv1.GetPersonRequest{IdOrEmail: text})
		if err != nil || resp.GetUser().GetUser().GetId() != id || !slices.Equal(resp.GetUser().GetRoles(), []identityv1.Role{user}) {
			t.Errorf("%q: %v, %v", text, resp, err)
		}
	}
	for _, text := range []string{uuid.NewString(), "ann@example", "%"} {
		if _, err := r.GetPerson(r.as(boss), &identityv1.GetPersonRequest{IdOrEmail: text}); !errors.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", " ", "jörg@example.com", strings.Repeat("x", 255)} {
		if _, err := r.GetPerson(r.as(boss), &identityv1.GetPersonRequest{IdOrEmail: text}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
	// Of several accounts with the address, the one that is in use.
	r.setState(boss, ann, disabled)
	again := r.session(r.kratos.signInAs(uuid.New(), "ann@example.com"))
	if resp, err := r.GetPerson(r.as(boss), &identityv1.GetPersonRequest{IdOrEmail: "ann@example.com"}); err != nil || resp.GetUser().GetUser().GetId() != again.GetUser().GetId() {
		t.Errorf("%v, %v", resp, err)
	}
}

// TestTheAccountOfAnAddress is that of somebody who may sign in, for a service that asks.
func TestTheAccountOfAnAddress(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	find := func(email string) string {
		t.Helper()
		resp, err := r.FindAccount(t.Context(), &identityv1.FindAccountRequest{Email: email})
		errtest.None(t, err)
		return resp.GetAccount().GetUserId() + " " + resp.GetAccount().GetEmail()
	}
	if got := find("Ann@Example.com"); got != ann.GetUser().GetId()+" ann@example.com" {
		t.Errorf("found %q", got)
	}
	for _, other := range []string{"nobody@example.com", ann.GetUser().GetId()} {
		if got := find(other); got != " " {
			t.Errorf("found %q for %q, which is nobody's address", got, other)
		}
	}
	r.setState(boss, ann, disabled)
	if got := find("ann@example.com"); got != " " {
		t.Errorf("found %q, who is disabled", got)
	}
}

func TestEveryActionNeedsAReason(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	id, as := ann.GetUser().GetId(), r.as(boss)
	for _, reason := range []string{"", " \n", "\x1b[0m", strings.Repeat("я", 501)} {
		for name, err := range map[string]error{
			"state":  second(r.SetUserState(as, &identityv1.SetUserStateRequest{UserId: id, State: disabled, Reason: reason})),
			"out":    second(r.SignOutUser(as, &identityv1.SignOutUserRequest{UserId: id, Reason: reason})),
			"device": second(r.RevokeUserDevice(as, &identityv1.RevokeUserDeviceRequest{UserId: id, DeviceId: id, Reason: reason})),
			"delete": second(r.DeleteUser(as, &identityv1.DeleteUserRequest{UserId: id, Reason: reason})),
			"roles":  second(r.SetUserRoles(as, &identityv1.SetUserRolesRequest{UserId: id, Reason: reason})),
		} {
			if f := fault.Of(err); f == nil || f.Reason != "invalid_reason" || len(f.Fields) != 1 || f.Fields[0].Name != "reason" {
				t.Errorf("%s because of %q: %v", name, reason, err)
			}
		}
	}
	long := strings.Repeat("я", 500)
	if _, err := r.SignOutUser(as, &identityv1.SignOutUserRequest{UserId: id, Reason: long}); err != nil {
		t.Error(err)
	}
	if _, err := r.SignOutUser(as, &identityv1.SignOutUserRequest{UserId: uuid.NewString(), Reason: "because"}); fault.Of(err).Reason != "unknown_user" {
		t.Errorf("an unknown account: %v", err)
	}
	if got := r.auditLog(as, 1); got[0].GetReason() != long {
		t.Errorf("recorded %q", got[0].GetReason())
	}
	// What was done to her, and nothing else.
	r.setRoles(boss, boss, admin, moderator)
	for _, about := range []string{id, "ann@example.com"} {
		waittest.Eventually(t, "the entries about her", func() bool {
			resp, err := r.ListAuditEntries(as, &identityv1.ListAuditEntriesRequest{About: about})
			return err == nil && len(resp.GetEntries()) == 1 && resp.GetEntries()[0].GetSubject() == id
		})
	}
	_, err := r.ListAuditEntries(as, &identityv1.ListAuditEntriesRequest{About: id, Search: "x"})
	if fault.Of(err).Reason != "invalid_about" {
		t.Errorf("got %v", err)
	}
}

// TestListsAreToldWhoMayNotAct, by address and by id.
func TestListsAreToldWhoMayNotAct(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	r.setState(boss, ann, disabled)
	ids := []string{boss.GetUser().GetId(), ann.GetUser().GetId(), uuid.NewString()}
	resp, err := r.ListUserStates(r.as(boss), &identityv1.ListUserStatesRequest{Emails: []string{"ann@example.com", "boss@fledge.test"}, UserIds: ids})
	want := &identityv1.ListUserStatesResponse{
		States:   []*identityv1.EmailState{{Email: "ann@example.com", State: disabled}},
		Accounts: []*identityv1.AccountState{{UserId: ids[1], State: disabled}},
	}
	if err != nil || !proto.Equal(resp, want) {
		t.Errorf("told %v, %v", resp, err)
	}
	for _, wrong := range [][]string{{"ann"}, slices.Repeat(ids[:1], 201)} {
		if _, err := r.ListUserStates(r.as(boss), &identityv1.ListUserStatesRequest{UserIds: wrong}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%d ids: %v", len(wrong), err)
		}
	}
}
