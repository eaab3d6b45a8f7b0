package session_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

// rotateKeys brings new keys into use, as time and the reloads would.
func (r *rig) rotateKeys() {
	r.t.Helper()
	someone := token.Refresh{Family: uuid.New()}
	before := r.ring.RefreshSecrets().New(someone)
	if _, err := r.ring.Rotate(r.t.Context(), keyring.Purposes()...); err != nil {
		r.t.Fatal(err)
	}
	r.clock.Advance(keyring.Lead)
	r.reloadKeys()
	if r.ring.RefreshSecrets().New(someone) == before {
		r.t.Fatal("nothing rotated")
	}
}

func (r *rig) reloadKeys() {
	r.t.Helper()
	errtest.None(r.t, r.ring.Open(r.t.Context()))
}

func TestRefreshTokensOutliveTheirSecret(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	first := r.create(cookie)
	r.rotateKeys()
	if again := r.create(cookie); again.RefreshToken != first.RefreshToken {
		t.Error("the rotation changed the family's leaf")
	}
	second := r.refresh(first.RefreshToken)
	r.verify(second.AccessToken)
	r.rotateKeys()
	// Twenty-nine days later both secrets are still read.
	r.clock.Advance(29 * 24 * time.Hour)
	r.reloadKeys()
	third := r.refresh(second.RefreshToken)
	_, err := r.Refresh(t.Context(), first.RefreshToken)
	r.refused(err, fault.Unauthenticated)
	_, err = r.Refresh(t.Context(), third.RefreshToken)
	r.refused(err, fault.Unauthenticated) // the reuse was noticed under the oldest secret
}

func TestTheGraceHoldsAcrossARotation(t *testing.T) {
	r := newRig(t)
	parent := r.create(r.signIn("ann@example.com")).RefreshToken
	if _, err := r.ring.Rotate(t.Context(), keyring.RefreshToken); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(keyring.Lead)
	child := r.refresh(parent).RefreshToken // still under the old secret
	r.reloadKeys()
	if again := r.refresh(parent).RefreshToken; again != child {
		t.Error("the child changed with the secret")
	}
	grandchild := r.refresh(child).RefreshToken // under the new one
	if again := r.refresh(child).RefreshToken; again != grandchild {
		t.Error("a parent under the old secret did not get its child under the new one again")
	}
	r.clock.Advance(session.Grace + time.Second)
	_, err := r.Refresh(t.Context(), child)
	r.refused(err, fault.Unauthenticated)
}

func TestSecretsAreDroppedWhenTheirFamiliesAreOver(t *testing.T) {
	r := newRig(t)
	r.rotateKeys()
	r.clock.Advance(keyring.KeptRefresh)
	r.reloadKeys()
	if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM keys WHERE purpose = 'refresh_token'`); n != 1 {
		t.Errorf("%d secrets are kept", n)
	}
}

// TestALeakedSecret: who has nothing but a refresh token must sign in again, a
// browser goes on by its cookie.
func TestALeakedSecret(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	before := r.create(cookie)
	errtest.None(t, r.ring.Replace(t.Context(), keyring.RefreshToken))
	r.reloadKeys()
	_, err := r.Refresh(t.Context(), before.RefreshToken)
	r.refused(err, fault.Unauthenticated)
	tabs := make([]string, 8)
	var all sync.WaitGroup
	for i := range tabs {
		all.Go(func() {
			s, err := r.Create(t.Context(), cookie, session.Device{})
			if err != nil {
				t.Error(err)
			}
			tabs[i] = s.RefreshToken
		})
	}
	all.Wait()
	for _, tab := range tabs {
		if tab != tabs[0] || tab == before.RefreshToken {
			t.Fatal("the tabs of one browser got different tokens")
		}
	}
	after := r.refresh(tabs[0])
	if r.verify(after.AccessToken).SessionID != r.verify(before.AccessToken).SessionID {
		t.Error("the browser became another device")
	}
}
