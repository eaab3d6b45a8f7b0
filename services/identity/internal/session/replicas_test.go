package session_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"fledge.dev/services/identity/internal/session"
)

// Twenty tabs on two replicas: whoever asks gets the one child of the parent.
func TestReplicasMakeOneChild(t *testing.T) {
	r := newRig(t)
	replicas := []*session.Service{r.Service, r.replica(session.Settings{Issuer: origin})}
	s := r.create(r.signIn("ann@example.com"))
	for round := int64(1); round <= 25; round++ {
		children := make([]string, 20)
		var wg sync.WaitGroup
		for i := range children {
			wg.Go(func() {
				child, err := replicas[i%2].Refresh(context.Background(), s.RefreshToken)
				if err != nil {
					t.Error(err)
				}
				children[i] = child.RefreshToken
			})
		}
		wg.Wait()
		for _, c := range children {
			if c != children[0] {
				t.Fatal("two children of one parent")
			}
		}
		leaf, err := r.ring.RefreshSecrets().Parse(children[0])
		if err != nil || leaf.Generation != round {
			t.Fatalf("round %d: leaf %+v, %v", round, leaf, err)
		}
		if n := r.count(`SELECT count(*) FROM session_families WHERE revoked_at IS NULL AND generation = $1`, round); n != 1 {
			t.Fatalf("round %d: %d live leaves", round, n)
		}
		s.RefreshToken = children[0]
		r.clock.Advance(time.Minute)
	}
}
