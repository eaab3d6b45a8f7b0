package identity_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/errtest"
)

// enrol gives an identity an authenticator app and recovery codes, or takes them away.
func (k *kratosStandIn) enrol(identity string, has bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.enrolled[identity] = has
}

// verify raises a browser's session, which Kratos takes for a sign-in.
func (k *kratosStandIn) verify(cookieHeader string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for value, body := range k.sessions {
		if strings.Contains(cookieHeader, value) {
			body = strings.Replace(body, `"active":true`, `"active":true,"authenticator_assurance_level":"aal2"`, 1)
			k.sessions[value] = strings.Replace(body, `{"method":"oidc"}`, fmt.Sprintf(`{"method":"totp","aal":"aal2","completed_at":%q}`, time.Now().Format(time.RFC3339)), 1)
		}
	}
}

func (k *kratosStandIn) secondFactorOf(identity string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.enrolled[identity] {
		return ""
	}
	return `"totp":{"type":"totp"},"lookup_secret":{"type":"lookup_secret"},`
}

func (k *kratosStandIn) removeSecondFactor(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("type") == "totp" && k.keepsApps.Load() {
		k.answer(w, http.StatusServiceUnavailable, "{}")
		return
	}
	k.mu.Lock()
	had := k.enrolled[r.PathValue("identity")]
	if r.PathValue("type") == "totp" {
		delete(k.enrolled, r.PathValue("identity"))
	}
	k.mu.Unlock()
	if !had {
		k.answer(w, http.StatusNotFound, `{"error":{"code":404,"message":"Unable to locate the resource"}}`)
		return
	}
	k.answer(w, http.StatusNoContent, "")
}

const secondFactor = "second_factor_required"

// TestStaffVerifyASecondFactor where the installation wants it: in each browser, after each
// sign-in, and nobody else.
func TestStaffVerifyASecondFactor(t *testing.T) {
	t.Parallel()
	r := newRig(t, "STAFF_SECOND_FACTOR=required")
	lists := func(s *identityv1.Session, want string) {
		t.Helper()
		if _, err := r.ListUsers(r.as(s), &identityv1.ListUsersRequest{}); reason(err) != want {
			t.Errorf("a list: %v, want %q", err, want)
		}
	}
	verified := func(s *identityv1.Session, staff, want bool) {
		t.Helper()
		got, err := r.GetSecondFactor(r.as(s), &identityv1.GetSecondFactorRequest{})
		if err != nil || got.GetStaff() != staff || !got.GetRequired() || got.GetVerified() != want {
			t.Errorf("the second factor is %v, %v", got, err)
		}
	}
	cookie, elsewhere := r.kratos.signIn("boss@fledge.test", true), r.kratos.signIn("boss@fledge.test", true)
	boss, other := r.session(cookie), r.session(elsewhere)
	lists(boss, secondFactor)
	verified(boss, true, false)

	r.kratos.verify(cookie)
	lists(boss, secondFactor) // until the service has seen it
	if again := r.session(cookie); r.principal(again).SessionID != r.principal(boss).SessionID {
		t.Error("another family")
	}
	lists(boss, "")
	verified(boss, true, true)
	lists(other, secondFactor)
	lists(r.mac(boss), "staff_sign_in_required")
	verified(r.session(r.kratos.signIn("u@example.com", true)), false, false)

	// A sign-in that was verified before it came here is as old as the provider's word.
	old := r.kratos.signInAt("boss@fledge.test", time.Now().Add(-16*time.Minute))
	r.kratos.verify(old)
	late := r.session(old)
	lists(late, "")
	if _, err := r.SetUserRoles(r.as(late), &identityv1.SetUserRolesRequest{UserId: boss.GetUser().GetId(), Roles: []identityv1.Role{admin}, Reason: "because"}); reason(err) != "fresh_sign_in_required" {
		t.Errorf("long after the sign-in: %v", err)
	}
}

func TestNobodyIsAskedForASecondFactorUnlessRequired(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	if _, err := r.ListUsers(r.as(boss), &identityv1.ListUsersRequest{}); err != nil {
		t.Error(err)
	}
	if got, err := r.GetSecondFactor(r.as(boss), &identityv1.GetSecondFactorRequest{}); err != nil || got.GetRequired() {
		t.Errorf("%v, %v", got, err)
	}
}

// secondFactorEmails are the subjects of the emails about second factors to an address.
func (r *rig) secondFactorEmails(to string) (subjects []string) {
	r.t.Helper()
	rows, err := r.db.Query(r.t.Context(), "SELECT args->'message'->>'Subject' FROM mail.river_job WHERE args->>'key' LIKE 'second-factor%' AND args->'message'->>'To' = $1 ORDER BY id", to)
	errtest.None(r.t, err)
	defer rows.Close()
	for rows.Next() {
		var s string
		errtest.None(r.t, rows.Scan(&s))
		subjects = append(subjects, s)
	}
	return subjects
}

func TestAnotherAdminResetsASecondFactor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	id := ann.GetUser().GetId()
	reset := func(user string) error {
		_, err := r.ResetSecondFactor(r.as(boss), &identityv1.ResetSecondFactorRequest{UserId: user, Reason: "lost the phone"})
		return err
	}
	r.kratos.enrol(boss.GetUser().GetId(), true)
	if err := reset(boss.GetUser().GetId()); reason(err) != "yourself" {
		t.Errorf("one's own: %v", err)
	}
	if err := reset(id); reason(err) != "no_second_factor" {
		t.Errorf("without one: %v", err)
	}
	r.kratos.enrol(id, true)
	r.kratos.status.Store(http.StatusServiceUnavailable)
	if err := reset(id); reason(err) != "kratos_unavailable" {
		t.Errorf("while Kratos is away: %v", err)
	}
	r.kratos.status.Store(0)
	if _, err := r.ListDevices(r.as(ann), &identityv1.ListDevicesRequest{}); err != nil {
		t.Fatalf("a reset that failed has signed out: %v", err)
	}
	errtest.None(t, reset(id))
	if r.kratos.secondFactorOf(id) != "" {
		t.Error("Kratos still has it")
	}
	if _, err := r.ListDevices(r.as(ann), &identityv1.ListDevicesRequest{}); reason(err) != "invalid_token" {
		t.Errorf("still signed in: %v", err)
	}
	if got, want := r.secondFactorEmails("ann@example.com"), []string{"The second factor of your Fledge account was reset"}; !slices.Equal(got, want) {
		t.Errorf("told of %q", got)
	}
	entry := r.auditLog(r.as(boss), 1)[0]
	if entry.GetAction() != "user.second_factor_reset" || entry.GetSubject() != id || entry.GetReason() != "lost the phone" || entry.GetAfter() != `{"sessions": 1}` {
		t.Errorf("recorded %v", entry)
	}

	// The last admin has nobody to ask.
	o := r.operation(boss)
	o.run("has no second factor any more, and is signed out on 1 devices", "reset-second-factor", "boss@fledge.test", "lost the phone")
	if r.kratos.secondFactorOf(boss.GetUser().GetId()) != "" {
		t.Error("Kratos still has it")
	}
	o.run("has no second factor\n", "reset-second-factor", "boss@fledge.test")
	o.env = append(o.env, "KRATOS_ADMIN_URL=")
	o.refused("KRATOS_ADMIN_URL", "reset-second-factor", "boss@fledge.test")
}

// TestAResetThatKratosFailsAtIsOnRecord, and a repeat goes on where it ended.
func TestAResetThatKratosFailsAtIsOnRecord(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss, ann := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	id := ann.GetUser().GetId()
	r.kratos.enrol(id, true)
	r.kratos.keepsApps.Store(true)
	reset := func() error {
		_, err := r.ResetSecondFactor(r.as(boss), &identityv1.ResetSecondFactorRequest{UserId: id, Reason: "lost the phone"})
		return err
	}
	if err := reset(); reason(err) != "kratos_unavailable" || !r.out(ann) {
		t.Errorf("half a reset: %v", err)
	}
	if e := r.auditLog(r.as(boss), 1)[0]; e.GetAction() != "user.second_factor_reset" || len(r.secondFactorEmails("ann@example.com")) != 1 {
		t.Errorf("recorded %v", e)
	}
	r.kratos.keepsApps.Store(false)
	if err := reset(); err != nil || r.kratos.secondFactorOf(id) != "" {
		t.Errorf("repeated: %v", err)
	}
}

// TestOwnersAreToldOfTheirSecondFactor as Kratos reports it.
func TestOwnersAreToldOfTheirSecondFactor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	boss := r.session(r.kratos.signIn("boss@fledge.test", true))
	id := boss.GetUser().GetId()
	// Kratos reports again what was answered too late.
	reports := func(path string) (status int) {
		flow := uuid.NewString()
		for range 2 {
			status, _ = r.hook("/hooks/kratos/"+path, hookKey, fmt.Sprintf(`{"flow_id":%q,"identity":{"id":%q}}`, flow, id))
		}
		return status
	}
	r.kratos.enrol(id, true)
	for _, path := range []string{"second-factor", "recovery-codes"} {
		if status := reports(path); status != http.StatusNoContent {
			t.Fatalf("%s: %d", path, status)
		}
	}
	r.kratos.enrol(id, false)
	for _, path := range []string{"recovery-codes", "second-factor"} {
		if status := reports(path); status != http.StatusNoContent {
			t.Fatalf("%s: %d", path, status)
		}
	}
	if got, want := r.secondFactorEmails("boss@fledge.test"), []string{
		"Your Fledge account has a second factor", "Your Fledge account has new recovery codes", "The second factor of your Fledge account was removed",
	}; !slices.Equal(got, want) {
		t.Errorf("told of %q", got)
	}
	var actions []string
	for _, e := range r.auditLog(r.as(boss), 3) {
		actions = append(actions, e.GetAction())
		if e.GetActorId() != id || e.GetSubject() != id {
			t.Errorf("recorded %v", e)
		}
	}
	slices.Sort(actions)
	if want := []string{"user.recovery_codes_created", "user.second_factor_added", "user.second_factor_removed"}; !slices.Equal(actions, want) {
		t.Errorf("recorded %q", actions)
	}
	for _, bad := range []string{`{"flow_id":"f","identity":{"id":"` + id + `"}}`, `{"flow_id":"` + uuid.NewString() + `","identity":{"id":"x"}}`} {
		if status, _ := r.hook("/hooks/kratos/second-factor", hookKey, bad); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", bad, status)
		}
	}
}

// TestAnAccountGetsFewCodes, counted over all of its browsers, at the same time too.
func TestAnAccountGetsFewCodes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	browsers := []*identityv1.Session{r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("boss@fledge.test", true))}
	admit := func(s *identityv1.Session, code string) string {
		_, err := r.AdmitSecondFactorCode(r.as(s), &identityv1.AdmitSecondFactorCodeRequest{Code: code})
		return reason(err)
	}
	answers := make(chan string, 2*len(browsers)*account.MaxFactorCodes)
	var typing sync.WaitGroup
	for n := range cap(answers) {
		typing.Go(func() { answers <- admit(browsers[n%2], fmt.Sprint(n/2)) })
	}
	typing.Wait()
	close(answers)
	got := map[string]int{}
	for answer := range answers {
		got[answer]++
	}
	if got[""] != account.MaxFactorCodes || got["too_many_codes"]+got["code_used"] != cap(answers)-account.MaxFactorCodes {
		t.Errorf("the codes were answered %v", got)
	}
	if got := admit(browsers[0], "more"); got != "too_many_codes" {
		t.Errorf("one more: %q", got)
	}
	if got := admit(r.session(r.kratos.signIn("u@example.com", true)), "0"); got != "" {
		t.Errorf("somebody else's: %q", got)
	}
}
