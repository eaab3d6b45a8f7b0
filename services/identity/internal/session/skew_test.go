package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

// eachClock runs a test with clocks of Kratos' that are off as far as they may be.
func eachClock(t *testing.T, test func(t *testing.T, r *rig)) {
	for name, off := range map[string]time.Duration{"right": 0, "ahead": time.Minute, "behind": -time.Minute} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.kratosOff = off
			test(t, r)
		})
	}
}

func TestASignOutEverywhereAndTheNextSignInWhateverKratosClockSays(t *testing.T) {
	for name, later := range map[string]time.Duration{"at once": 0, "a second later": time.Second, "an hour later": time.Hour} {
		t.Run(name, func(t *testing.T) {
			eachClock(t, func(t *testing.T, r *rig) {
				known, unseen := r.signIn("ann@example.com"), r.signIn("ann@example.com")
				s := r.create(known)
				old := r.kratos.sessions[unseen]
				r.do(r.SignOutEverywhere(t.Context(), r.caller(s), known))
				r.clock.Advance(later)
				r.create(r.signIn("ann@example.com"))
				// Kratos answered for it before the sign-out, and this service goes on only now.
				r.kratos.answers(unseen, old)
				_, err := r.Create(t.Context(), unseen, session.Device{})
				r.refused(err, fault.Unauthenticated)
			})
		})
	}
}

func TestASessionThatKratosWasNotToldToEndOpensNothingWhateverItsClockSays(t *testing.T) {
	eachClock(t, func(t *testing.T, r *rig) {
		known, unseen := r.signIn("ann@example.com"), r.signIn("ann@example.com")
		s := r.create(known)
		r.kratos.setDown(fault.New(fault.Unavailable, "kratos_unavailable", "down"))
		r.refused(r.SignOutEverywhere(t.Context(), r.caller(s), ""), fault.Unavailable)
		r.kratos.setDown(nil)
		for range 2 {
			if _, err := r.Create(t.Context(), unseen, session.Device{}); !errors.Is(err, fault.Unauthenticated) {
				t.Fatalf("an old session: %v", err)
			}
		}
		// Kratos has heard of it by now, so that who signs in afterwards stays.
		r.refresh(r.create(r.signIn("ann@example.com")).RefreshToken)
	})
}

func TestASignInLongAfterAnUntoldSignOutStays(t *testing.T) {
	eachClock(t, func(t *testing.T, r *rig) {
		unseen := r.signIn("ann@example.com")
		s := r.create(r.signIn("ann@example.com"))
		r.kratos.setDown(fault.New(fault.Unavailable, "kratos_unavailable", "down"))
		r.refused(r.SignOutEverywhere(t.Context(), r.caller(s), ""), fault.Unavailable)
		r.kratos.setDown(nil)
		r.clock.Advance(2*session.ClockSkew + time.Second)
		later := r.create(r.signIn("ann@example.com"))
		_, err := r.Create(t.Context(), unseen, session.Device{})
		r.refused(err, fault.Unauthenticated)
		r.refresh(later.RefreshToken)
	})
}

func TestASessionStaysShutWhileKratosIsDownAgain(t *testing.T) {
	r := newRig(t)
	unseen := r.signIn("ann@example.com")
	s := r.create(r.signIn("ann@example.com"))
	r.kratos.endFails = fault.New(fault.Unavailable, "kratos_unavailable", "down")
	r.refused(r.SignOutEverywhere(t.Context(), r.caller(s), ""), fault.Unavailable)
	_, err := r.Create(t.Context(), unseen, session.Device{})
	r.refused(err, fault.Unavailable)
	if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE revoked_at IS NULL`); n != 0 {
		t.Errorf("%d families live", n)
	}
}

// TestALateReportOfApplesEndsNoNewerSession: who came back before it arrived stays, also once an older
// session has Kratos follow it.
func TestALateReportOfApplesEndsNoNewerSession(t *testing.T) {
	eachClock(t, func(t *testing.T, r *rig) {
		first, unseen := r.signIn("ann@example.com"), r.signIn("ann@example.com")
		s := r.create(first)
		left := r.clock.Now()
		r.clock.Advance(session.ClockSkew + time.Minute + time.Second)
		back := r.signIn("ann@example.com")
		r.create(back)
		ended, err := r.store.EndSignInsBefore(t.Context(), s.User.ID, left, r.clock.Now())
		if r.do(err); ended != 1 {
			t.Errorf("%d sign-ins ended", ended)
		}
		for _, cookie := range []string{first, unseen} {
			_, err := r.Create(t.Context(), cookie, session.Device{})
			r.refused(err, fault.Unauthenticated)
			r.create(back)
		}
	})
}

// TestASlowKratosTakesNoConnections: however many sign in to one account at once.
func TestASlowKratosTakesNoConnections(t *testing.T) {
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	r.do(r.SignOutEverywhere(t.Context(), r.caller(s), ""))
	r.kratos.slow = make(chan struct{})
	var all sync.WaitGroup
	for range 2 * connections {
		cookie := r.signIn("ann@example.com")
		all.Go(func() {
			if _, err := r.Create(context.Background(), cookie, session.Device{}); err != nil {
				t.Error(err)
			}
		})
	}
	waittest.Seen(t, "all wait for Kratos", func() (bool, string) {
		return r.kratos.asked.Load() == 2*connections, fmt.Sprint(r.kratos.asked.Load())
	})
	if held := r.pool.Stat().AcquiredConns(); held != 0 {
		t.Errorf("%d connections are held meanwhile", held)
	}
	close(r.kratos.slow)
	all.Wait()
}

// TestASignOutEverywhereWhileKratosIsAskedEndsTheSignIn, which was before it.
func TestASignOutEverywhereWhileKratosIsAskedEndsTheSignIn(t *testing.T) {
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	r.do(r.SignOutEverywhere(t.Context(), r.caller(s), ""))
	r.kratos.slow = make(chan struct{})
	cookie := r.signIn("ann@example.com")
	var open sync.WaitGroup
	open.Go(func() {
		if _, err := r.Create(context.Background(), cookie, session.Device{}); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("opened: %v", err)
		}
	})
	waittest.Seen(t, "the sign-in waits for Kratos", func() (bool, string) { return r.kratos.asked.Load() == 1, "" })
	_, err := r.store.CloseAccount(t.Context(), s.User.ID, uuid.Nil, r.clock.Now())
	r.do(err)
	close(r.kratos.slow)
	open.Wait()
	if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE revoked_at IS NULL`); n != 0 {
		t.Errorf("%d families live", n)
	}
}

// A deletion is taken back by who signs in after it, and by nobody who was signed in before.
func TestADeletionIsTakenBackByALaterSignInWhateverKratosClockSays(t *testing.T) {
	eachClock(t, func(t *testing.T, r *rig) {
		r.store = r.store.WithEmails(noEmails{}, origin)
		r.Service = r.replica(session.Settings{Issuer: origin})
		unseen := r.signIn("ann@example.com")
		old := r.kratos.sessions[unseen]
		s := r.create(r.signIn("ann@example.com"))
		_, err := r.store.BeginDeletion(t.Context(), s.User.ID, r.clock.Now(), r.clock.Now().Add(24*time.Hour))
		r.do(err)
		r.do(r.store.EndAtKratos(t.Context(), s.User.ID, func(ctx context.Context) error { return r.kratos.EndSessions(ctx, s.User.ID) }))
		r.kratos.answers(unseen, old)
		_, err = r.Create(t.Context(), unseen, session.Device{})
		if err == nil {
			t.Fatal("an old session took the deletion back")
		}
		back := r.create(r.signIn("ann@example.com"))
		if !back.DeletionTakenBack || back.User.Disabled {
			t.Errorf("after the sign-in: %+v", back)
		}
	})
}

// TestKratosFollowsTheSignOutThatItWasToldOf, in a time of its own, and no later one.
func TestKratosFollowsTheSignOutThatItWasToldOf(t *testing.T) {
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	for _, tt := range []struct {
		again bool // at the same time, by the clock
		at    bool
	}{{false, true}, {true, false}, {false, true}} {
		_, err := r.store.CloseAccount(t.Context(), s.User.ID, uuid.Nil, r.clock.Now())
		r.do(err)
		r.do(r.store.EndAtKratos(t.Context(), s.User.ID, func(ctx context.Context) error {
			if _, bounded := ctx.Deadline(); bounded {
				t.Error("Kratos has the database's time")
			}
			if !tt.again {
				return nil
			}
			_, err := r.store.CloseAccount(ctx, s.User.ID, uuid.Nil, r.clock.Now())
			return err
		}))
		u, err := r.store.User(t.Context(), s.User.ID)
		if r.do(err); u.SignedOut.AtKratos != tt.at {
			t.Errorf("%+v: %+v", tt, u.SignedOut)
		}
	}
}

type noEmails struct{ store.Emails }

func (noEmails) Enqueue(context.Context, pgx.Tx, mail.Email) error { return nil }

// answers has Kratos show a session as live that it has ended, as it did just before.
func (k *fakeKratos) answers(cookie string, s kratos.Session) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stale = map[string]kratos.Session{cookie: s}
}
