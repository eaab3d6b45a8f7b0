package session_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

func TestFirstSessionMakesTheAccount(t *testing.T) {
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	if s.User.Email != "ann@example.com" || s.User.Provider != "google" || !slices.Equal(s.User.Identities, []string{"apple", "google"}) {
		t.Errorf("user %+v", s.User)
	}
	if s.ExpiresIn != 10*time.Minute || !s.ExpiresAt.Equal(r.clock.Now().Add(10*time.Minute)) {
		t.Errorf("expires in %s at %s", s.ExpiresIn, s.ExpiresAt)
	}
	if p := r.verify(s.AccessToken); p.UserID != s.User.ID.String() || p.Email != "ann@example.com" {
		t.Errorf("token speaks for %+v", p)
	}
	access, err := r.store.Access(t.Context(), s.User.ID, r.familyOf(s))
	if err != nil || !access.SignedIn || !access.Active || !slices.Equal(access.Roles, []account.Role{account.RoleUser}) {
		t.Errorf("access %+v, %v", access, err)
	}
}

func TestBootstrapAdminIsAdminFromTheFirstSession(t *testing.T) {
	r := newRig(t)
	s := r.create(r.signIn("admin@fledge.test"))
	access, err := r.store.Access(t.Context(), s.User.ID, r.familyOf(s))
	if err != nil || !access.IsAdmin() {
		t.Fatalf("access %+v, %v", access, err)
	}
	if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM outbox WHERE type = 'fledge.identity.v1.user.roles_changed' AND subject = $1`, s.User.ID.String()); n != 2 {
		t.Errorf("%d roles_changed events", n)
	}
	if _, err := r.pool.Exec(t.Context(), `DELETE FROM user_roles WHERE role = 'admin'`); err != nil {
		t.Fatal(err)
	}
	r.create(r.signIn("admin@fledge.test"))
	if access, _ := r.store.Access(t.Context(), s.User.ID, r.familyOf(s)); access.IsAdmin() {
		t.Error("signing in again won a withdrawn role back")
	}
}

func TestTabsOfOneBrowserShareAFamily(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	tokens := make([]string, 16)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() {
			s, err := r.Create(context.Background(), cookie, session.Device{})
			if err != nil {
				t.Error(err)
			}
			tokens[i] = s.RefreshToken
		})
	}
	wg.Wait()
	slices.Sort(tokens)
	if len(slices.Compact(tokens)) != 1 || pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families`) != 1 {
		t.Error("tabs got different refresh tokens")
	}
	child := r.refresh(r.create(cookie).RefreshToken)
	if got := r.create(cookie).RefreshToken; got != child.RefreshToken {
		t.Error("a tab that loads after a rotation did not get the current token")
	}
}

func TestOnlyAVerifiedAddressGetsASession(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("victim@example.com")
	s := r.kratos.sessions[cookie]
	s.Email = ""
	r.kratos.sessions[cookie] = s
	_, err := r.Create(t.Context(), cookie, session.Device{})
	r.refused(err, fault.Unauthenticated)
	if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM users`); n != 0 {
		t.Errorf("%d accounts made", n)
	}
}

func TestNoSessionWithoutKratos(t *testing.T) {
	r := newRig(t)
	for _, cookie := range []string{"", "unknown"} {
		_, err := r.Create(t.Context(), cookie, session.Device{})
		r.refused(err, fault.Unauthenticated)
	}
	cookie := r.signIn("ann@example.com")
	r.create(cookie)
	r.kratos.setDown(fault.New(fault.Unavailable, "kratos_unavailable", "down"))
	_, err := r.Create(t.Context(), cookie, session.Device{})
	r.refused(err, fault.Unavailable)
}

func TestDisabledAccountGetsNoTokens(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	s := r.create(cookie)
	if _, err := r.pool.Exec(t.Context(), `UPDATE users SET disabled_at = now()`); err != nil {
		t.Fatal(err)
	}
	_, err := r.Create(t.Context(), cookie, session.Device{})
	r.refused(err, fault.Forbidden)
	_, err = r.Refresh(t.Context(), s.RefreshToken)
	r.refused(err, fault.Unauthenticated)
}

func TestSessionDoesNotOutliveKratos(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	k := r.kratos.sessions[cookie]
	k.ExpiresAt = r.clock.Now().Add(3 * time.Minute)
	r.kratos.sessions[cookie] = k
	s := r.create(cookie)
	if s.ExpiresIn != 3*time.Minute {
		t.Errorf("expires in %s", s.ExpiresIn)
	}
	r.clock.Advance(3 * time.Minute)
	_, err := r.Refresh(t.Context(), s.RefreshToken)
	r.refused(err, fault.Unauthenticated)
}

func TestSignInTimeNeverGoesBack(t *testing.T) {
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	late := account.SignIn{UserID: s.User.ID, Email: "ann@example.com", Provider: "apple", At: r.clock.Now().Add(-time.Hour), ConfirmedAt: r.clock.Now()}
	user, err := r.store.RecordSignIn(t.Context(), late, r.clock.Now())
	errtest.None(t, err)
	if !user.LastSignInAt.Equal(s.User.LastSignInAt) || user.Provider != "google" {
		t.Errorf("a late hook moved the record to %s by %s", user.LastSignInAt, user.Provider)
	}
}

var _ session.Kratos = (*kratos.Client)(nil)

func TestUnknownAccountMayNothing(t *testing.T) {
	r := newRig(t)
	access, err := r.store.Access(t.Context(), uuid.New(), uuid.New())
	if err != nil || access.Active || access.IsAdmin() {
		t.Errorf("access %+v, %v", access, err)
	}
	_, err = r.store.User(t.Context(), uuid.New())
	r.refused(err, fault.NotFound)
}
