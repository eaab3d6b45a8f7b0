package keyring_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/secrettoken"
)

// operator is the command's own ring, in a process beside the replicas.
func (r *replicas) operator(sealer *keyring.Sealer) *keyring.Ring {
	return keyring.New(store.New(r.pool, nil, 5*time.Second), sealer, r.clock)
}

func TestRotateByCommand(t *testing.T) {
	r := newReplicas(t, 2, 0)
	old, _ := r.rings[0].Signing()
	from, err := r.operator(r.sealer).Rotate(t.Context(), keyring.Purposes()...)
	errtest.None(t, err)
	again, err := r.operator(r.sealer).Rotate(t.Context(), keyring.AccessToken)
	if err != nil || !again.Equal(from) {
		t.Errorf("asked twice: from %s, then %s, %v", from, again, err)
	}
	r.pass(keyring.ReloadInterval)
	if kids := published(t, r.rings[1]); len(kids) != 2 {
		t.Fatalf("published %v", kids)
	}
	r.pass(from.Sub(r.clock.Now()) - 2*keyring.ReloadInterval)
	if kid, _ := r.rings[0].Signing(); kid != old {
		t.Error("the new key signs too early")
	}
	r.pass(2 * keyring.ReloadInterval)
	for _, ring := range r.rings {
		if kid, _ := ring.Signing(); kid == old {
			t.Errorf("at %s the old key signs still", from)
		}
	}
}

func TestReplaceDropsWhatLeaked(t *testing.T) {
	r := newReplicas(t, 2, 0)
	old, _ := r.rings[0].Signing()
	family := token.Refresh{Family: uuid.New()}
	leaf := secrettoken.Sum(r.rings[0].RefreshSecrets().New(family))
	errtest.None(t, r.operator(r.sealer).Replace(t.Context(), keyring.AccessToken))
	r.pass(keyring.ReloadInterval)
	for _, ring := range r.rings {
		kid, _ := ring.Signing()
		if kids := published(t, ring); kid == old || !slices.Equal(kids, []string{kid}) {
			t.Errorf("signs with %s, published %v", kid, kids)
		}
		if _, ok := ring.RefreshSecrets().Again(family, leaf); !ok {
			t.Error("the other purpose lost its secret")
		}
	}
	errtest.None(t, r.operator(r.sealer).Replace(t.Context(), keyring.RefreshToken))
	r.pass(keyring.ReloadInterval)
	if _, ok := r.rings[0].RefreshSecrets().Again(family, leaf); ok {
		t.Error("the leaked secret still makes tokens")
	}
}

func TestCommandsUnderAnotherEncryptionKey(t *testing.T) {
	r := newReplicas(t, 1, 0)
	stranger := newSealer(t)
	if _, err := r.operator(stranger).Rotate(t.Context(), keyring.AccessToken); err == nil {
		t.Error("a key was added that the service cannot open")
	}
	if err := r.operator(stranger).Replace(t.Context(), keyring.AccessToken); err == nil {
		t.Error("one purpose was replaced, the other cannot be opened")
	}
	r.pass(keyring.ReloadInterval)
	// With all keys gone the encryption key itself may be a new one.
	errtest.None(t, r.operator(stranger).Replace(t.Context(), keyring.Purposes()...))
	r.rings, r.sealer = nil, stranger
	r.add()
}
