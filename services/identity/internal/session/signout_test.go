package session_test

import (
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/fault"
)

func (r *rig) familyOf(s session.Session) uuid.UUID {
	r.t.Helper()
	return uuid.MustParse(r.verify(s.AccessToken).SessionID)
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
			if err := signOut(r, s, cookie); err != nil {
				t.Fatal(err)
			}
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
	if err := r.SignOut(t.Context(), r.caller(laptop), first); err != nil {
		t.Fatal(err)
	}
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
