package session_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

// familyOf reads a token's family, also when it has expired.
func (r *rig) familyOf(s session.Session) uuid.UUID {
	r.t.Helper()
	var claims authn.Claims
	_, _, err := jwt.NewParser().ParseUnverified(s.AccessToken, &claims)
	r.do(err)
	return uuid.MustParse(claims.SessionID)
}

func (r *rig) caller(s session.Session) session.Caller {
	r.t.Helper()
	return session.Caller{User: s.User.ID, Family: r.familyOf(s)}
}

func TestSignOutEndsBothSides(t *testing.T) {
	for name, signOut := range map[string]func(r *rig, s session.Session, cookie string) error{
		"by cookie": func(r *rig, _ session.Session, cookie string) error {
			return r.SignOut(t.Context(), session.Caller{}, cookie)
		},
		"by token": func(r *rig, s session.Session, _ string) error {
			return r.SignOut(t.Context(), r.caller(s), "")
		},
		"by both": func(r *rig, s session.Session, cookie string) error {
			return r.SignOut(t.Context(), r.caller(s), cookie)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			cookie := r.signIn("ann@example.com")
			s := r.create(cookie)
			errtest.None(t, signOut(r, s, cookie))
			_, err := r.Refresh(t.Context(), s.RefreshToken)
			r.refused(err, fault.Unauthenticated)
			_, err = r.Create(t.Context(), cookie, session.Device{})
			r.refused(err, fault.Unauthenticated)
			if access, err := r.store.Access(t.Context(), s.User.ID, r.familyOf(s)); err != nil || access.SignedIn || !access.Active {
				t.Errorf("access after the sign-out: %+v, %v", access, err)
			}
			if !r.kratos.ended[r.kratos.sessions[cookie].ID] {
				t.Error("the Kratos session lives on")
			}
			if err := signOut(r, s, cookie); err != nil {
				t.Errorf("signing out again: %v", err)
			}
		})
	}
}

// TestASignInReplacesTheSessionOfItsBrowser, unless its cookie is of the same session or of none.
func TestASignInReplacesTheSessionOfItsBrowser(t *testing.T) {
	r := newRig(t)
	before, after, elsewhere := r.signIn("ann@example.com"), r.signIn("ann@example.com"), r.create(r.signIn("ann@example.com"))
	s := r.create(before)
	for _, by := range []string{before, "unknown"} {
		errtest.None(t, r.SignOutReplaced(t.Context(), before, by))
		r.verify(r.create(before).AccessToken)
	}
	for range 2 { // again is no error
		errtest.None(t, r.SignOutReplaced(t.Context(), before, after))
	}
	_, err := r.Create(t.Context(), before, session.Device{})
	r.refused(err, fault.Unauthenticated)
	if access, err := r.store.Access(t.Context(), s.User.ID, r.familyOf(s)); err != nil || access.SignedIn || !r.kratos.ended[r.kratos.sessions[before].ID] {
		t.Errorf("the session of before: %+v, %v", access, err)
	}
	r.create(after)
	r.refresh(elsewhere.RefreshToken)

	r.kratos.setDown(fault.New(fault.Unavailable, "down", "Later."))
	r.refused(r.SignOutReplaced(t.Context(), before, after), fault.Unavailable)
}

func TestSignOutOfNothingSucceeds(t *testing.T) {
	r := newRig(t)
	if err := r.SignOut(t.Context(), session.Caller{User: uuid.New(), Family: uuid.New()}, "unknown"); err != nil {
		t.Error(err)
	}
}

func TestSignOutLeavesOthersAlone(t *testing.T) {
	r := newRig(t)
	first, second := r.signIn("ann@example.com"), r.signIn("ann@example.com")
	laptop, phone := r.create(first), r.create(second)
	errtest.None(t, r.SignOut(t.Context(), r.caller(laptop), first))
	r.refresh(phone.RefreshToken)
}

func TestSignOutHoldsWhileKratosIsDown(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	s := r.create(cookie)
	r.kratos.setDown(fault.New(fault.Unavailable, "kratos_unavailable", "down"))
	r.refused(r.SignOut(t.Context(), r.caller(s), cookie), fault.Unavailable)
	r.kratos.setDown(nil)
	_, err := r.Refresh(t.Context(), s.RefreshToken)
	r.refused(err, fault.Unauthenticated)
	// Kratos still honours the cookie, but it has been signed out of here.
	_, err = r.Create(t.Context(), cookie, session.Device{})
	r.refused(err, fault.Unauthenticated)
}

func TestSignOutEverywhereEndsEveryDevice(t *testing.T) {
	for name, everywhere := range map[string]func(r *rig, s session.Session, cookie string) error{
		"by token": func(r *rig, s session.Session, _ string) error {
			return r.SignOutEverywhere(t.Context(), r.caller(s), "")
		},
		"by cookie": func(r *rig, _ session.Session, cookie string) error {
			return r.SignOutEverywhere(t.Context(), session.Caller{}, cookie)
		},
		"by both": func(r *rig, s session.Session, cookie string) error {
			return r.SignOutEverywhere(t.Context(), r.caller(s), cookie)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			first, second, unseen := r.signIn("ann@example.com"), r.signIn("ann@example.com"), r.signIn("ann@example.com")
			laptop, desk, bob := r.create(first), r.create(second), r.create(r.signIn("bob@example.com"))
			mac := r.mac(desk)
			for range 2 { // again is as good as once
				r.do(everywhere(r, laptop, first))
			}
			r.dead("the caller", laptop)
			r.dead("the other browser", desk)
			r.dead("the Mac", mac)
			for _, cookie := range []string{first, second, unseen} {
				if !r.kratos.ended[r.kratos.sessions[cookie].ID] {
					t.Error("a Kratos session lives on")
				}
			}
			r.refresh(bob.RefreshToken)
			r.clock.Advance(time.Second)
			r.create(r.signIn("ann@example.com"))
		})
	}
}

func TestSignOutEverywhereHoldsWhileKratosIsDown(t *testing.T) {
	r := newRig(t)
	known, reused, unseen := r.signIn("ann@example.com"), r.signIn("ann@example.com"), r.signIn("ann@example.com")
	s, spent := r.create(known), r.create(reused)
	mac := r.mac(s)
	r.refresh(r.refresh(spent.RefreshToken).RefreshToken)
	r.dead("a reused token", spent)
	r.kratos.setDown(fault.New(fault.Unavailable, "kratos_unavailable", "down"))
	r.refused(r.SignOutEverywhere(t.Context(), r.caller(s), known), fault.Unavailable)
	r.kratos.setDown(nil)
	r.dead("the caller", s)
	r.dead("the Mac", mac)
	// Kratos still honours the cookies, but they open nothing; it hears of each now.
	for name, cookie := range map[string]string{"known": known, "reused": reused, "never seen here": unseen} {
		if _, err := r.Create(t.Context(), cookie, session.Device{}); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
		if !r.kratos.ended[r.kratos.sessions[cookie].ID] {
			t.Errorf("%s: Kratos takes the browser for signed in", name)
		}
	}
	r.clock.Advance(time.Second)
	r.create(r.signIn("ann@example.com"))
}

func TestSignOutEverywhereAlsoSignsAStrangersCookieOut(t *testing.T) {
	r := newRig(t)
	bobs := r.signIn("bob@example.com")
	ann, bob := r.create(r.signIn("ann@example.com")), r.create(bobs)
	bobsMac := r.mac(bob)
	r.do(r.SignOutEverywhere(t.Context(), r.caller(ann), bobs))
	r.dead("the caller", ann)
	r.dead("the browser of the cookie", bob)
	r.refresh(bobsMac.RefreshToken)
}

// No hand-off that runs while its account signs out everywhere leaves a device behind.
func TestNoDeviceSlipsThroughASignOutEverywhere(t *testing.T) {
	r := newRig(t)
	for range 30 {
		cookie, late, a := r.signIn("ann@example.com"), r.signIn("ann@example.com"), newApp()
		browser := r.create(cookie)
		code := r.code(browser, a)
		caller := r.caller(browser)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = r.exchange(code, a) })
		wg.Go(func() { _, _ = r.CreateDevice(context.Background(), caller, session.Device{}) })
		wg.Go(func() { _, _ = r.Create(context.Background(), late, session.Device{}) })
		wg.Go(func() {
			if err := r.SignOutEverywhere(context.Background(), caller, ""); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE revoked_at IS NULL`); n != 0 {
			t.Fatalf("%d devices live on", n)
		}
		r.clock.Advance(time.Second)
	}
}

func TestASignInIsGoodForThirtyDaysWhateverKratosThinks(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	k := r.kratos.sessions[cookie]
	k.ExpiresAt = r.clock.Now().Add(365 * 24 * time.Hour)
	r.kratos.sessions[cookie] = k
	r.clock.Advance(session.Lifetime - time.Minute)
	if s := r.create(cookie); s.ExpiresIn != time.Minute {
		t.Errorf("a late family expires in %s", s.ExpiresIn)
	}
	pgtest.Exec(r.t, r.pool, `DELETE FROM session_families`)
	r.clock.Advance(time.Minute)
	_, err := r.Create(t.Context(), cookie, session.Device{})
	r.refused(err, fault.Unauthenticated)
	if !r.kratos.ended[k.ID] || pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families`) != 0 {
		t.Error("Kratos takes the browser for signed in, or a family was opened for nothing")
	}
}

func TestSignOutOthersEndsEveryOtherDevice(t *testing.T) {
	for name, down := range map[string]error{"": nil, "while Kratos is down": fault.New(fault.Unavailable, "kratos_unavailable", "down")} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			own, second, unseen := r.signIn("ann@example.com"), r.signIn("ann@example.com"), r.signIn("ann@example.com")
			laptop, desk, bob := r.create(own), r.create(second), r.create(r.signIn("bob@example.com"))
			mac := r.mac(laptop)
			r.kratos.setDown(down)
			if err := r.SignOutOthers(t.Context(), r.caller(laptop), own); !errors.Is(err, down) {
				t.Fatal(err)
			}
			r.dead("the other browser", desk)
			r.dead("the Mac", mac)
			r.kratos.setDown(nil)
			laptop = r.refresh(laptop.RefreshToken)
			if again := r.create(own); r.familyOf(again) != r.familyOf(laptop) {
				t.Error("the browser's own session ended")
			}
			r.refresh(bob.RefreshToken)
			// Both have Kratos follow, which spares the one browser again.
			for _, cookie := range []string{second, unseen} {
				_, err := r.Create(t.Context(), cookie, session.Device{})
				r.refused(err, fault.Unauthenticated)
				if !r.kratos.ended[r.kratos.sessions[cookie].ID] {
					t.Error("Kratos takes another browser for signed in")
				}
				if again := r.create(own); r.familyOf(again) != r.familyOf(laptop) {
					t.Error("the browser's own session ended with it")
				}
			}
		})
	}
}

func TestSignOutOthersOfAMacLeavesTheMac(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	browser := r.create(cookie)
	mac := r.mac(browser)
	r.do(r.SignOutOthers(t.Context(), r.caller(mac), ""))
	r.dead("the browser", browser)
	r.refresh(mac.RefreshToken)
	if !r.kratos.ended[r.kratos.sessions[cookie].ID] {
		t.Error("the Kratos session lives on")
	}
}

func TestSignOutOthersNeedsTheSessionsOwnCookie(t *testing.T) {
	r := newRig(t)
	first, second := r.signIn("ann@example.com"), r.signIn("ann@example.com")
	laptop, desk := r.create(first), r.create(second)
	for _, cookie := range []string{"", second, r.signIn("bob@example.com")} {
		if err := r.SignOutOthers(t.Context(), r.caller(laptop), cookie); !errors.Is(err, session.ErrNoSession) {
			t.Errorf("%q: %v", cookie, err)
		}
	}
	r.refresh(desk.RefreshToken)
	r.do(r.SignOut(t.Context(), r.caller(laptop), first))
	if err := r.SignOutOthers(t.Context(), r.caller(laptop), first); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("a dead caller: %v", err)
	}
}

// TestSignOutOthersLeavesNoSessionOfACookieThatNobodyKnows: Kratos is back after it could not say whose it is.
func TestSignOutOthersLeavesNoSessionOfACookieThatNobodyKnows(t *testing.T) {
	r := newRig(t)
	own, others := r.signIn("ann@example.com"), r.signIn("bob@example.com")
	more := r.signIn("bob@example.com")
	laptop := r.create(own)
	r.kratos.askFails = fault.New(fault.Unavailable, "kratos_unavailable", "down")
	r.do(r.SignOutOthers(t.Context(), r.caller(laptop), others))
	r.kratos.askFails = nil
	r.create(more)
	r.refresh(laptop.RefreshToken)
}
