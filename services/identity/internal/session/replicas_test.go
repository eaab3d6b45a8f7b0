package session_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
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
				child, err := replicas[i%2].Refresh(context.Background(), s.RefreshToken, r.cookieOf(s.RefreshToken), session.Device{})
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
		if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE revoked_at IS NULL AND generation = $1`, round); n != 1 {
			t.Fatalf("round %d: %d live leaves", round, n)
		}
		s.RefreshToken = children[0]
		r.clock.Advance(time.Minute)
	}
}

// onMachine is a replica whose machine's clock is wrong.
func (r *rig) onMachine(off time.Duration) *session.Service {
	r.t.Helper()
	rt := service.NewRuntime("identity", "test", slog.New(slog.DiscardHandler))
	rt.Clock = clock.Off(off)
	cfg := pg.Config{URL: config.Secret(r.pool.Config().ConnString()), MaxConns: 2, StatementTimeout: time.Minute}
	pool, err := pg.Open(r.t.Context(), cfg, rt)
	r.do(err)
	r.t.Cleanup(pool.Close)
	metrics, err := session.NewMetrics(prometheus.NewRegistry())
	r.do(err)
	r.do(pool.Ping(r.t.Context()))
	return session.NewService(store.New(pool, nil, 30*time.Second), r.kratos, r.apple, r.ring, session.Settings{Issuer: origin}, rt.Clock, rt.Log, metrics)
}

// TestReplicasThatDisagreeOnTheTimeLoseNobody: a code and an answer that got lost at one replica are good
// at another whose machine is two minutes off, and a sign-out everywhere spares who signs in after it.
func TestReplicasThatDisagreeOnTheTimeLoseNobody(t *testing.T) {
	r := newRig(t)
	r.clock.Advance(time.Since(r.clock.Now()))
	here, there := r.onMachine(-time.Minute), r.onMachine(time.Minute)
	for range 2 {
		browser := r.createAt(here, r.signIn("ann@example.com"))
		app := newApp()
		code, _, err := here.CreateCode(t.Context(), r.caller(browser), callback, app.challenge)
		r.do(err)
		mac, err := there.ExchangeCode(t.Context(), session.Grant{Code: code, Verifier: app.verifier, Callback: callback}, session.Device{})
		r.do(err)
		for range 3 {
			child, err := here.Refresh(t.Context(), mac.RefreshToken, "", session.Device{})
			r.do(err)
			again, err := there.Refresh(t.Context(), mac.RefreshToken, "", session.Device{})
			if err != nil || again.RefreshToken != child.RefreshToken {
				t.Fatalf("the repeat got %q, %v", again.RefreshToken, err)
			}
			mac, here, there = again, there, here
		}
		r.do(there.SignOutEverywhere(t.Context(), r.caller(browser), ""))
		r.clock.Advance(time.Since(r.clock.Now()) + time.Second)
		r.createAt(there, r.signIn("ann@example.com"))
	}
}
