package signin

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/identity"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// TestUpkeep changes things in Kratos behind the product's back, and loses what
// Kratos tells.
func TestUpkeep(t *testing.T) {
	w := newWorld(t)
	admin := w.browser(t)
	admin.signIn("google", "admin@fledge.test")
	admin.session()
	for name, test := range map[string]func(*testing.T, *world, *browser){
		"an account that is switched off":      switchedOff,
		"an account that is deleted":           deleted,
		"a session that is ended":              ended,
		"an admin who is switched off":         adminSwitchedOff,
		"an admin who is deleted":              adminDeleted,
		"an admin who loses the role":          adminDemoted,
		"a sign-up that was not reported":      unreportedSignUp,
		"a sign-in while nobody took reports":  unreportedSignIn,
		"a changed address":                    changedAddress,
		"an address that an operator changes":  addressByOperator,
		"what Kratos knows of linked accounts": linkedUnreported,
		"a name that Kratos kept before":       nameOfBefore,
	} {
		t.Run(name, func(t *testing.T) { test(t, w, admin) })
	}
	t.Run("Kratos away", func(t *testing.T) { awayDisablesNobody(t, w) })
}

// mac is an app on a Mac that the browser has handed its sign-in to.
func (b *browser) mac() session {
	b.t.Helper()
	var answer struct{ Session session }
	b.decode(b.api(http.MethodPost, "/api/auth/hand-off", `{"callback":"fledge://auth/callback"}`, bearer(b.session())...), http.StatusOK, &answer)
	return answer.Session
}

func bearer(s session) []string { return []string{"Authorization", "Bearer " + s.AccessToken} }

// refresh trades the refresh token, as the Mac does, and returns the status.
func (b *browser) refresh(s *session) int {
	b.t.Helper()
	p := b.api(http.MethodPost, "/api/auth/token", `{"grant_type":"refresh_token","refresh_token":"`+s.RefreshToken+`"}`)
	if p.status == http.StatusOK {
		b.decode(p, http.StatusOK, s)
	}
	return p.status
}

// inKratos makes a call to Kratos' admin listener.
func (w *world) inKratos(method, path, body string, answer any) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.admin+path, strings.NewReader(body))
	errtest.None(w.t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultTransport.RoundTrip(req)
	errtest.None(w.t, err)
	defer func() { _ = resp.Body.Close() }()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusMultipleChoices {
		w.t.Fatalf("%s %s answered %d %s %v", method, path, resp.StatusCode, said, err)
	}
	if answer != nil {
		errtest.None(w.t, json.Unmarshal(said, answer))
	}
}

func (w *world) setState(id, state string) {
	w.t.Helper()
	w.inKratos(http.MethodPatch, "/admin/identities/"+id, `[{"op":"replace","path":"/state","value":"`+state+`"}]`, nil)
}

// refused waits until the token is no longer refreshed.
func refused(t *testing.T, b *browser, s session) {
	t.Helper()
	waittest.Eventually(t, "the refresh token is refused", func() bool { return b.refresh(&s) == http.StatusUnauthorized })
}

func switchedOff(t *testing.T, w *world, _ *browser) {
	b := w.browser(t)
	b.signIn("google", "off@example.test")
	s, mac := b.session(), b.mac()
	w.setState(s.User.ID, "inactive")
	b.signedOut()
	refused(t, b, mac)
	refused(t, b, s)
	if p := b.api(http.MethodPost, "/api/auth/hand-off", `{"callback":"fledge://auth/callback"}`, bearer(s)...); p.status == http.StatusOK {
		t.Error("a switched-off account got a new device")
	}
	if p := b.signIn("google", "off@example.test"); p.url.Path != "/auth/error" {
		t.Errorf("signing in leads to %s", p.url)
	}
	b.signedOut()

	w.setState(s.User.ID, "active")
	// Its tokens stay dead: whoever was signed in has to sign in again.
	again := w.browser(t)
	again.signIn("google", "off@example.test")
	waittest.Eventually(t, "signing in works again", func() bool { return again.api(http.MethodGet, "/api/auth/session", "").status == http.StatusOK })
	if id := again.session().User.ID; id != s.User.ID {
		t.Errorf("came back as %s, not as %s", id, s.User.ID)
	}
	if status := b.refresh(&mac); status != http.StatusUnauthorized {
		t.Errorf("the old Mac refreshes: %d", status)
	}
}

func deleted(t *testing.T, w *world, _ *browser) {
	b := w.browser(t)
	b.signIn("apple", "deleted@example.test")
	s, mac := b.session(), b.mac()
	w.inKratos(http.MethodDelete, "/admin/identities/"+s.User.ID, "", nil)
	b.signedOut()
	refused(t, b, mac)
	refused(t, b, s)
	// Signing up again creates a new account.
	again := w.browser(t)
	again.signIn("apple", "deleted@example.test")
	if id := again.session().User.ID; id == s.User.ID {
		t.Error("the deleted account is back")
	}
}

func ended(t *testing.T, w *world, _ *browser) {
	b, other := w.browser(t), w.browser(t)
	b.signIn("google", "ended@example.test")
	s, mac := b.session(), b.mac()
	var sessions []struct{ ID string }
	w.inKratos(http.MethodGet, "/admin/identities/"+s.User.ID+"/sessions", "", &sessions)
	other.signIn("google", "ended@example.test")
	kept := other.session()
	if len(sessions) != 1 {
		t.Fatalf("%d sessions in Kratos", len(sessions))
	}
	w.inKratos(http.MethodDelete, "/admin/sessions/"+sessions[0].ID, "", nil)
	b.signedOut()
	refused(t, b, s)
	if mac, kept := b.refresh(&mac), other.refresh(&kept); mac != http.StatusOK || kept != http.StatusOK {
		t.Errorf("the Mac and the other browser cannot refresh: %d, %d", mac, kept)
	}
}

const listUsers = "/api/get-users-with-roles?limit=1"

// listed is what the list of users says of an address.
func listed(t *testing.T, admin *browser, email string) (users []struct {
	ID, Email, Provider string
	LastSignInAt        string `json:"last_sign_in_at"`
}) {

	t.Helper()
	p := admin.api(http.MethodGet, "/api/get-users-with-roles?search="+url.QueryEscape(email), "", bearer(admin.session())...)
	admin.decode(p, http.StatusOK, &struct{ Data any }{&users})
	return users
}

// unreportedSignUp: the hook is lost, and the browser goes away before it asks
// for a session.
func unreportedSignUp(t *testing.T, w *world, admin *browser) {
	w.hooks.noReports.Store(true)
	defer w.hooks.noReports.Store(false)
	if p := w.browser(t).signIn("apple", "unreported@example.test"); !p.isBack() {
		t.Fatalf("ended at %s", p.url)
	}
	waittest.Eventually(t, "the account is known", func() bool { return len(listed(t, admin, "unreported@example.test")) == 1 })
	if u := listed(t, admin, "unreported@example.test")[0]; u.Provider != "apple" || u.LastSignInAt == "" {
		t.Errorf("known as %+v", u)
	}
}

// unreportedSignIn: no hook is answered. People with an account can sign in nevertheless,
// new people cannot.
func unreportedSignIn(t *testing.T, w *world, admin *browser) {
	const email = "returning@example.test"
	w.browser(t).signIn("google", email)
	waittest.Eventually(t, "the account is known", func() bool { return len(listed(t, admin, email)) == 1 })
	before := listed(t, admin, email)[0]
	w.hooks.down.Store(true)
	defer w.hooks.down.Store(false)
	if p := w.browser(t).signIn("google", email); !p.isBack() {
		t.Fatalf("ended at %s", p.url)
	}
	waittest.Eventually(t, "the sign-in is taken over", func() bool { return listed(t, admin, email)[0].LastSignInAt > before.LastSignInAt })
	stranger := w.browser(t)
	if p := stranger.signIn("google", "nobody-yet@example.test"); p.isBack() {
		t.Errorf("signed up without the guard, ended at %s", p.url)
	}
	stranger.signedOut()
}

func changedAddress(t *testing.T, w *world, admin *browser) {
	b := w.browser(t)
	b.signIn("google", "old-name@example.test")
	id := b.session().User.ID
	w.inKratos(http.MethodPatch, "/admin/identities/"+id, `[
		{"op":"replace","path":"/traits/email","value":"new-name@example.test"},
		{"op":"replace","path":"/verifiable_addresses","value":[{"value":"new-name@example.test","verified":true,"via":"email","status":"completed"}]}]`, nil)
	waittest.Eventually(t, "the new address is known", func() bool { return len(listed(t, admin, "new-name@example.test")) == 1 })
	if old := listed(t, admin, "old-name@example.test"); len(old) != 0 {
		t.Errorf("the old one too: %+v", old)
	}
	if got := b.session().User; got.ID != id || got.Email != "new-name@example.test" {
		t.Errorf("the session is of %+v", got)
	}
}

// addressByOperator: Kratos takes it, but not one of another identity.
func addressByOperator(t *testing.T, w *world, admin *browser) {
	b := w.browser(t)
	b.signIn("google", "before@example.test")
	id := b.session().User.ID
	w.browser(t).signIn("google", "another@example.test")
	if err := w.operate("change-address", id, "another@example.test"); err == nil || !strings.Contains(err.Error(), "another account has the address") {
		t.Errorf("an address of another account: %v", err)
	}
	errtest.None(t, w.operate("change-address", id, "after@example.test", "Lost the old one"))
	b.signedOut()
	// Google goes on to name the old address, by which a stranger can begin an account now.
	if p := b.signIn("google", "before@example.test"); !p.isBack() {
		t.Fatalf("ended at %s", p.url)
	}
	if got := b.session().User; got.ID != id || got.Email != "after@example.test" {
		t.Errorf("the session is of %+v", got)
	}
	if old := listed(t, admin, "before@example.test"); len(old) != 0 {
		t.Errorf("the old address is listed: %+v", old)
	}
}

// nameOfBefore: earlier versions had Kratos keep the name that Google gives.
func nameOfBefore(t *testing.T, w *world, _ *browser) {
	const email = "named@example.test"
	b := w.browser(t)
	b.signIn("google", email)
	id := b.session().User.ID
	traits := func() (known string) {
		var identity struct{ Traits json.RawMessage }
		w.inKratos(http.MethodGet, "/admin/identities/"+id, "", &identity)
		return string(identity.Traits)
	}
	bare := `{"email":"` + email + `"}`
	if got := traits(); got != bare {
		t.Fatalf("Kratos keeps %s of a new person", got)
	}
	w.inKratos(http.MethodPatch, "/admin/identities/"+id, `[{"op":"add","path":"/traits/name","value":"Named"}]`, nil)
	again := w.browser(t)
	if p := again.signIn("google", email); !p.isBack() {
		t.Fatalf("with a name, signing in ended at %s", p.url)
	}
	waittest.Eventually(t, "the name is removed", func() bool { return traits() == bare })
	last := w.browser(t)
	if p := last.signIn("google", email); !p.isBack() || last.session().User.ID != id {
		t.Errorf("without the name, signing in ended at %s", p.url)
	}
}

// operate runs a command of identity's beside the running one.
func (w *world) operate(name string, args ...string) error {
	commands := identity.Commands()
	command := commands[slices.IndexFunc(commands, func(c service.Command) bool { return c.Name == name })]
	var environ []string
	for _, settings := range []map[string]string{w.shared, w.identitySettings} {
		for key, value := range settings {
			environ = append(environ, key+"="+value)
		}
	}
	rt := service.NewRuntime("identity", "test", obs.NewLogger(io.Discard, "identity", slog.LevelError))
	return command.Run(w.t.Context(), service.Call{Args: args, Environ: environ, Out: io.Discard, Runtime: rt})
}

// linkedUnreported: the second provider of an account shows without anybody
// having opened a session with it.
func linkedUnreported(t *testing.T, w *world, admin *browser) {
	const email = "linked@example.test"
	first := w.browser(t)
	first.signIn("google", email)
	if got := first.session().User; len(got.Identities) != 1 {
		t.Fatalf("to begin with %+v", got)
	}
	w.hooks.noReports.Store(true)
	defer w.hooks.noReports.Store(false)
	b := w.browser(t)
	p := b.signIn("apple", email)
	accounts := b.start("google", `{"flow":"`+p.url.Query().Get("flow")+`"}`)
	if p := b.choose(accounts, url.Values{"email": {email}}); !p.isBack() {
		t.Fatalf("linking ended at %s", p.url)
	}
	waittest.Eventually(t, "both providers are known", func() bool { return len(first.session().User.Identities) == 2 })
	if n := len(listed(t, admin, email)); n != 1 {
		t.Errorf("%d accounts", n)
	}
}

// awayDisablesNobody lets several incremental runs fail.
func awayDisablesNobody(t *testing.T, w *world) {
	b := w.browser(t)
	b.signIn("google", "steady@example.test")
	s, mac := b.session(), b.mac()
	errtest.None(t, w.kratos.Stop(context.Background()))
	failed := w.runs("failed")
	waittest.Eventually(t, "three incremental runs have failed", func() bool { return w.runs("failed") >= failed+3 })
	for range 2 {
		if status := b.refresh(&mac); status != http.StatusOK {
			t.Errorf("the Mac cannot refresh: %d", status)
		}
		// Its cookie is Kratos' to judge, so this waits, and nothing has ended.
		if status := b.refresh(&s); status != http.StatusServiceUnavailable {
			t.Errorf("the browser's refresh: %d", status)
		}
	}
	w.kratos = w.start()
	done := w.runs("done")
	waittest.Eventually(t, "two incremental runs have succeeded", func() bool { return w.runs("done") >= done+2 })
	if status := b.refresh(&mac); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
	waittest.Eventually(t, "the cookie is good again", func() bool { return b.api(http.MethodGet, "/api/auth/session", "").status == http.StatusOK })
}

// runs is how many incremental runs ended that way.
func (w *world) runs(outcome string) (n uint64) {
	families, err := w.identity.Metrics.Gather()
	errtest.None(w.t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			// Labels come by name: outcome, task.
			if l := m.GetLabel(); f.GetName() == "periodic_run_seconds" && l[0].GetValue() == outcome && l[1].GetValue() == "kratos_reconcile" {
				n = m.GetHistogram().GetSampleCount()
			}
		}
	}
	return n
}
