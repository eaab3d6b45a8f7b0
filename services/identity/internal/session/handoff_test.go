package session_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/handoff"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

const callback = "fledge://auth/callback"

// app is a Mac app on its way to a session.
type app struct {
	verifier, challenge string
}

func newApp() app {
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	return app{verifier, base64.RawURLEncoding.EncodeToString(sum[:])}
}

// code mints a code for the app in a signed-in browser.
func (r *rig) code(browser session.Session, a app) string {
	r.t.Helper()
	code, life, err := r.CreateCode(r.t.Context(), r.caller(browser), callback, a.challenge)
	if err != nil || life != handoff.Lifetime {
		r.t.Fatalf("life %s, %v", life, err)
	}
	return code
}

func (r *rig) exchange(code string, a app) (session.Session, error) {
	return r.ExchangeCode(context.Background(), session.Grant{Code: code, Verifier: a.verifier, Callback: callback},
		session.Device{Name: "Ann's MacBook", UserAgent: "Fledge/1.0", IPAddress: "192.0.2.1"})
}

// mac signs an app in by way of a browser.
func (r *rig) mac(browser session.Session) session.Session {
	r.t.Helper()
	a := newApp()
	s, err := r.exchange(r.code(browser, a), a)
	errtest.None(r.t, err)
	return s
}

func (r *rig) notGranted(err error) {
	r.t.Helper()
	if !errors.Is(err, fault.Invalid) || fault.Of(err).Reason != "invalid_grant" || fault.Of(err).Message != session.ErrGrant.Message {
		r.t.Errorf("got %v, want invalid_grant", err)
	}
}

func (r *rig) dead(name string, s session.Session) {
	r.t.Helper()
	if _, err := r.Refresh(r.t.Context(), s.RefreshToken); !errors.Is(err, fault.Unauthenticated) {
		r.t.Errorf("%s lives: %v", name, err)
	}
}

func TestACodeOpensADeviceOfItsOwn(t *testing.T) {
	r := newRig(t)
	browser := r.create(r.signIn("ann@example.com"))
	mac := r.mac(browser)
	if mac.User.Email != "ann@example.com" || mac.ExpiresIn != 10*time.Minute || r.familyOf(mac) == r.familyOf(browser) {
		t.Errorf("session %+v", mac)
	}
	f, ok, err := r.store.Family(t.Context(), r.familyOf(mac))
	if err != nil || !ok || f.Kind() != session.Mac || f.Device != (session.Device{Name: "Ann's MacBook", UserAgent: "Fledge/1.0", IPAddress: "192.0.2.1"}) ||
		!f.ExpiresAt.Equal(r.clock.Now().Add(session.Lifetime)) {
		t.Errorf("family %+v, %v", f, err)
	}
	errtest.None(t, r.SignOut(t.Context(), r.caller(browser), ""))
	mac = r.refresh(mac.RefreshToken)
	if access, err := r.store.Access(t.Context(), mac.User.ID, r.familyOf(mac)); err != nil || !access.SignedIn {
		t.Errorf("the Mac went with the browser: %+v, %v", access, err)
	}
	errtest.None(t, r.SignOut(t.Context(), r.caller(mac), ""))
	r.dead("the Mac after its sign-out", mac)
}

func TestOneOfFiftyParallelExchangesSucceeds(t *testing.T) {
	r := newRig(t)
	a := newApp()
	code := r.code(r.create(r.signIn("ann@example.com")), a)
	won := make(chan session.Session, 50)
	start := r.hold(`SELECT FROM users FOR UPDATE`)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			switch s, err := r.exchange(code, a); {
			case err == nil:
				won <- s
			case fault.Of(err).Reason != "invalid_grant":
				t.Error(err)
			}
		})
	}
	r.blocked(connections) // as many as the pool lets in
	start()
	wg.Wait()
	if len(won) != 1 || pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE kratos_session_id IS NULL`) != 1 {
		t.Fatalf("%d of 50 succeeded", len(won))
	}
	// The others showed that somebody has a copy of code and verifier.
	r.dead("the device of a code used twice", <-won)
}

func TestSecondUseEndsTheDevice(t *testing.T) {
	for name, wait := range map[string]time.Duration{"at once": 0, "long after": time.Hour} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			browser, a := r.create(r.signIn("ann@example.com")), newApp()
			code := r.code(browser, a)
			mac, err := r.exchange(code, a)
			errtest.None(t, err)
			other := r.mac(browser)
			r.clock.Advance(wait)
			_, err = r.exchange(code, newApp())
			r.notGranted(err)
			mac = r.refresh(mac.RefreshToken) // a stranger's guess did no harm
			_, err = r.exchange(code, a)
			r.notGranted(err)
			r.dead("the device of a code used twice", mac)
			if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE revoked_because = 'reuse'`); n != 1 {
				t.Errorf("%d families revoked", n)
			}
			r.refresh(other.RefreshToken)
			r.refresh(browser.RefreshToken)
		})
	}
}

func TestAMisfitDoesNotBurnTheCode(t *testing.T) {
	r := newRig(t)
	a := newApp()
	code := r.code(r.create(r.signIn("ann@example.com")), a)
	for name, g := range map[string]session.Grant{
		"wrong verifier": {code, newApp().verifier, callback}, "wrong callback": {code, a.verifier, "http://127.0.0.1:4000/auth/callback"},
		"challenge": {code, a.challenge, callback}, "unknown code": {a.challenge, a.verifier, callback},
		"garbage": {"x' OR 1=1", a.verifier, callback},
	} {
		_, err := r.ExchangeCode(t.Context(), g, session.Device{})
		if fault.Of(err).Reason != "invalid_grant" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.exchange(code, a); err != nil {
		t.Errorf("the right app afterwards: %v", err)
	}
}

func TestACodeDiesWithWhatItStandsFor(t *testing.T) {
	for name, end := range map[string]func(r *rig, browser session.Session, cookie string){
		"after 60 s":                 func(r *rig, _ session.Session, _ string) { r.clock.Advance(60 * time.Second) },
		"after 61 s":                 func(r *rig, _ session.Session, _ string) { r.clock.Advance(61 * time.Second) },
		"browser signed out":         func(r *rig, s session.Session, cookie string) { r.do(r.SignOut(t.Context(), r.caller(s), cookie)) },
		"browser signed out by hand": func(r *rig, _ session.Session, cookie string) { r.do(r.SignOut(t.Context(), session.Caller{}, cookie)) },
		"signed out everywhere":      func(r *rig, s session.Session, _ string) { r.do(r.SignOutEverywhere(t.Context(), r.caller(s), "")) },
		"browser's token reused": func(r *rig, s session.Session, _ string) {
			r.refresh(r.refresh(s.RefreshToken).RefreshToken)
			_, err := r.Refresh(t.Context(), s.RefreshToken)
			r.refused(err, fault.Unauthenticated)
		},
		"account disabled": func(r *rig, _ session.Session, _ string) {
			pgtest.Exec(r.t, r.pool, `UPDATE users SET disabled_at = now()`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			cookie, a := r.signIn("ann@example.com"), newApp()
			browser := r.create(cookie)
			code := r.code(browser, a)
			end(r, browser, cookie)
			_, err := r.exchange(code, a)
			r.notGranted(err)
			if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE kratos_session_id IS NULL`); n != 0 {
				t.Error("a device was opened nevertheless")
			}
		})
	}
}

func TestACodeDoesNotOutliveItsBrowser(t *testing.T) {
	r := newRig(t)
	browser := r.caller(r.create(r.signIn("ann@example.com")))
	r.clock.Advance(session.Lifetime - 20*time.Second)
	if _, life, err := r.CreateCode(t.Context(), browser, callback, newApp().challenge); err != nil || life != 20*time.Second {
		t.Errorf("life %s, %v", life, err)
	}
}

func TestWhoMayHandOff(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	browser := r.create(cookie)
	alive, mac, bob := r.caller(browser), r.caller(r.mac(browser)), r.caller(r.create(r.signIn("bob@example.com")))
	gone := r.create(r.signIn("ann@example.com"))
	r.do(r.SignOut(t.Context(), r.caller(gone), ""))
	try := func(name string, c session.Caller, want fault.Kind) {
		t.Helper()
		_, _, err := r.CreateCode(t.Context(), c, callback, newApp().challenge)
		_, err2 := r.CreateDevice(t.Context(), c, session.Device{})
		if want == "" && errors.Join(err, err2) != nil || want != "" && (!errors.Is(err, want) || !errors.Is(err2, want)) {
			t.Errorf("%s: code %v, device %v; want %s", name, err, err2, want)
		}
	}
	try("a browser", alive, "")
	try("a Mac", mac, fault.Forbidden)
	try("a signed-out browser", r.caller(gone), fault.Unauthenticated)
	try("a family of somebody else", session.Caller{User: alive.User, Family: bob.Family}, fault.Unauthenticated)
	try("a family of nobody", session.Caller{User: alive.User, Family: uuid.New()}, fault.Unauthenticated)
	try("nobody", session.Caller{}, fault.Unauthenticated)
	pgtest.Exec(r.t, r.pool, `UPDATE users SET disabled_at = now() WHERE email = 'ann@example.com'`)
	try("a disabled account", alive, fault.Forbidden)
	pgtest.Exec(r.t, r.pool, `UPDATE users SET disabled_at = NULL`)
	r.clock.Advance(session.Lifetime)
	try("a browser after thirty days", alive, fault.Unauthenticated)
}

func TestTokensAreHandedOffOnlyWhereAllowed(t *testing.T) {
	r := newRig(t)
	browser := r.create(r.signIn("ann@example.com"))
	s, err := r.CreateDevice(t.Context(), r.caller(browser), session.Device{Name: "Old app"})
	errtest.None(t, err)
	if f, _, err := r.store.Family(t.Context(), r.familyOf(s)); err != nil || f.Kind() != session.Mac || f.Device.Name != "Old app" {
		t.Errorf("family %+v, %v", f, err)
	}
	r.refresh(s.RefreshToken)
	strict := r.replica(session.Settings{Issuer: origin})
	_, err = strict.CreateDevice(t.Context(), r.caller(browser), session.Device{})
	r.refused(err, fault.Forbidden)
	if fault.Of(err).Reason != "token_hand_off_disabled" {
		t.Errorf("reason %s", fault.Of(err).Reason)
	}
	if _, _, err := strict.CreateCode(t.Context(), r.caller(browser), callback, newApp().challenge); err != nil {
		t.Errorf("codes where tokens are forbidden: %v", err)
	}
}

func TestABrowserMintsAFewCodesAMinute(t *testing.T) {
	r := newRig(t)
	browser := r.create(r.signIn("ann@example.com"))
	for range 20 {
		r.code(browser, newApp())
	}
	_, _, err := r.CreateCode(t.Context(), r.caller(browser), callback, newApp().challenge)
	r.refused(err, fault.RateLimited)
	r.mac(r.create(r.signIn("bob@example.com")))
	r.clock.Advance(time.Minute)
	r.mac(browser)
}

func TestAnAccountOpensAFewDevicesAMinute(t *testing.T) {
	r := newRig(t)
	browser := r.create(r.signIn("ann@example.com"))
	caller := r.caller(browser)
	r.clock.Advance(time.Minute)
	var opened, limited atomic.Int64
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			switch _, err := r.CreateDevice(context.Background(), caller, session.Device{}); {
			case err == nil:
				opened.Add(1)
			case errors.Is(err, fault.RateLimited):
				limited.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 20 || limited.Load() != 10 {
		t.Errorf("%d opened, %d refused", opened.Load(), limited.Load())
	}
	// Others may, and so may this one with a code, or a minute later.
	r.mac(browser)
	bob := r.create(r.signIn("bob@example.com"))
	_, err := r.CreateDevice(t.Context(), r.caller(bob), session.Device{})
	r.do(err)
	r.clock.Advance(time.Minute)
	_, err = r.CreateDevice(t.Context(), caller, session.Device{})
	r.do(err)
}

func TestCodesNeedACallbackAndAChallenge(t *testing.T) {
	r := newRig(t)
	c := r.caller(r.create(r.signIn("ann@example.com")))
	long := make([]byte, 300)
	for _, bad := range [][2]string{
		{"", newApp().challenge}, {string(long), newApp().challenge}, {"fledge://auth/callback\x00", newApp().challenge},
		{callback, ""}, {callback, "x"}, {callback, newApp().challenge + "A"},
	} {
		_, _, err := r.CreateCode(t.Context(), c, bad[0], bad[1])
		r.refused(err, fault.Invalid)
	}
}
