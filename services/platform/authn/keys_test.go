package authn_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// source is identity as a verifier sees it: it counts, and can be down.
type source struct {
	issuer  *authntest.Issuer
	fetches atomic.Int64
	down    atomic.Bool
	// withdrawn leaves no key in the set.
	withdrawn atomic.Bool
	// answers, if there is one, holds every fetch until it may answer.
	answers chan struct{}
}

func (s *source) JWKS(ctx context.Context) ([]byte, error) {
	s.fetches.Add(1)
	if s.answers != nil {
		select {
		case <-s.answers:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if s.down.Load() {
		return nil, errors.New("down")
	}
	if s.withdrawn.Load() {
		return []byte(`{"keys":[]}`), nil
	}
	return s.issuer.JWKS(ctx)
}

type keysRig struct {
	*source
	clock    *clock.Fake
	keys     *authn.Keys
	verifier *authn.Verifier
}

func newKeysRig(t *testing.T) *keysRig {
	t.Helper()
	clk := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r := &keysRig{source: &source{issuer: authntest.New(t, clk)}, clock: clk}
	r.keys = authn.NewKeys(r.JWKS, clk)
	r.verifier = authn.NewVerifier(authntest.Origin, r.keys, clk)
	return r
}

// verify presents a fresh token, which no cache of verified tokens knows.
func (r *keysRig) verify(t *testing.T) error {
	t.Helper()
	_, token := r.issuer.User("ann@example.com")
	_, err := r.verifier.Verify(t.Context(), token)
	return err
}

func TestKeysAreFetchedByOneForAll(t *testing.T) {
	r := newKeysRig(t)
	r.answers = make(chan struct{})
	const callers = 50
	outcomes := make(chan error, callers)
	for range callers {
		_, token := r.issuer.User("ann@example.com")
		go func() {
			_, err := r.verifier.Verify(context.Background(), token)
			outcomes <- err
		}()
	}
	close(r.answers)
	for range callers {
		if err := <-outcomes; err != nil {
			t.Error(err)
		}
	}
	if n := r.fetches.Load(); n != 1 {
		t.Errorf("%d fetches for a fresh cache", n)
	}
}

// TestACallerWhoLeavesTakesNobodyAlong: the one who started the fetch goes away,
// the others still get its answer.
func TestACallerWhoLeavesTakesNobodyAlong(t *testing.T) {
	r := newKeysRig(t)
	r.answers = make(chan struct{})
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { _, err := r.keys.Find(leaving, r.issuer.KeyID()); left <- err }()
	leave()
	if err := <-left; !errors.Is(err, fault.Unavailable) {
		t.Errorf("the one who left: %v", err)
	}
	close(r.answers)
	if err := r.verify(t); err != nil {
		t.Error(err)
	}
}

func TestKeysAreUsedForTwentySeconds(t *testing.T) {
	r := newKeysRig(t)
	for range 60 * 6 { // an hour, in steps of ten seconds
		errtest.None(t, r.verify(t))
		r.clock.Advance(10 * time.Second)
	}
	if n := r.fetches.Load(); n != 180 {
		t.Errorf("%d fetches in an hour, want one in twenty seconds", n)
	}
}

// TestAKeyThatWasWithdrawnOpensNothing, neither new tokens nor those that are remembered, when
// nobody shows a token of the new one.
func TestAKeyThatWasWithdrawnOpensNothing(t *testing.T) {
	r := newKeysRig(t)
	_, old := r.issuer.User("ann@example.com")
	if _, err := r.verifier.Verify(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	r.withdrawn.Store(true)
	r.clock.Advance(20 * time.Second)
	if _, err := r.verifier.Verify(t.Context(), old); !errors.Is(err, authn.ErrBadToken) {
		t.Errorf("the old token: %v", err)
	}
	if err := r.verify(t); !errors.Is(err, authn.ErrBadToken) {
		t.Errorf("another of the old key: %v", err)
	}
}

func TestASourceThatIsDownFailsNoRequest(t *testing.T) {
	r := newKeysRig(t)
	errtest.None(t, r.verify(t))
	r.down.Store(true)
	before := r.fetches.Load()
	for range 30 * 60 / 5 { // half an hour, in steps of five seconds
		r.clock.Advance(5 * time.Second)
		if err := r.verify(t); err != nil {
			t.Fatalf("source down: %v", err)
		}
	}
	if n := r.fetches.Load() - before; n < 170 || n > 181 {
		t.Errorf("%d fetches in half an hour, want one in ten seconds", n)
	}
	// A key that cannot be looked up does not prove a forgery: after a long outage the
	// issuer may sign with a key that is not known here.
	if _, err := r.keys.Find(t.Context(), "unknown"); !errors.Is(err, fault.Unavailable) {
		t.Errorf("an unknown key while the source is down: %v", err)
	}
	r.down.Store(false)
	r.clock.Advance(10 * time.Second)
	if _, err := r.keys.Find(t.Context(), "unknown"); !errors.Is(err, authn.ErrBadToken) {
		t.Errorf("an unknown key when the source is back: %v", err)
	}
}

func TestUnknownKeyIDsDoNotFloodTheSource(t *testing.T) {
	r := newKeysRig(t)
	errtest.None(t, r.verify(t))
	r.clock.Advance(10 * time.Second)
	for round := range 3 {
		before := r.fetches.Load()
		var callers sync.WaitGroup
		for i := range 1000 {
			callers.Go(func() {
				if _, err := r.keys.Find(context.Background(), fmt.Sprintf("unknown-%d-%d", round, i)); !errors.Is(err, authn.ErrBadToken) {
					t.Errorf("an unknown key: %v", err)
				}
			})
		}
		callers.Wait()
		if n := r.fetches.Load() - before; n != 1 {
			t.Errorf("%d fetches for 1,000 unknown keys", n)
		}
		r.clock.Advance(10 * time.Second)
	}
}

func TestNoKeysAtAllIsAnOutageNotABadToken(t *testing.T) {
	r := newKeysRig(t)
	r.down.Store(true)
	if err := r.verify(t); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("got %v", err)
	}
}

// TestASourceThatHangsHoldsNobodyUp: who has a known key waits for a newer set
// only briefly.
func TestASourceThatHangsHoldsNobodyUp(t *testing.T) {
	r := newKeysRig(t)
	errtest.None(t, r.verify(t))
	r.answers = make(chan struct{})
	defer close(r.answers)
	r.clock.Advance(authn.KeysFresh)
	start := time.Now()
	errtest.None(t, r.verify(t))
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("a known key waited %s for the source", took)
	}
}
