package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

// hold takes locks over a connection of its own until release.
func (r *rig) hold(lock string) (release func()) {
	r.t.Helper()
	conn, err := pgx.ConnectConfig(r.t.Context(), r.pool.Config().ConnConfig.Copy())
	r.do(err)
	r.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tx, err := conn.Begin(r.t.Context())
	r.do(err)
	_, err = tx.Exec(r.t.Context(), lock)
	r.do(err)
	return func() { r.do(tx.Rollback(r.t.Context())) }
}

// blocked returns when n statements wait for locks.
func (r *rig) blocked(n int) {
	r.t.Helper()
	conn, err := pgx.ConnectConfig(r.t.Context(), r.pool.Config().ConnConfig.Copy())
	r.do(err)
	defer func() { _ = conn.Close(context.Background()) }()
	waittest.Seen(r.t, fmt.Sprintf("%d statements wait", n), func() (bool, string) {
		var waiting int
		r.do(conn.QueryRow(r.t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting))
		return waiting >= n, fmt.Sprint(waiting)
	})
}

// A refresh that began before a sign-out and ends after it brings nothing back.
func TestARefreshDoesNotUndoASignOut(t *testing.T) {
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	caller := r.caller(s)
	release := r.hold(`SELECT FROM session_families FOR UPDATE`)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := r.SignOut(context.Background(), caller, ""); err != nil {
			t.Error(err)
		}
	})
	r.blocked(1)
	wg.Go(func() {
		if _, err := r.Refresh(context.Background(), s.RefreshToken); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("refreshed after the sign-out: %v", err)
		}
	})
	r.blocked(2)
	release()
	wg.Wait()
	if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE revoked_because = 'signed_out'`); n != 1 {
		t.Error("the family lives again")
	}
}

// A device that is being opened while its account signs out everywhere ends too.
func TestSignOutEverywhereWaitsForDevicesBeingOpened(t *testing.T) {
	r := newRig(t)
	a := newApp()
	browser := r.create(r.signIn("ann@example.com"))
	code, caller := r.code(browser, a), r.caller(browser)
	release := r.hold(`SELECT FROM users FOR UPDATE`)
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := r.exchange(code, a); err != nil {
			t.Error(err)
		}
	})
	r.blocked(1)
	wg.Go(func() {
		if err := r.SignOutEverywhere(context.Background(), caller, ""); err != nil {
			t.Error(err)
		}
	})
	r.blocked(2)
	release()
	wg.Wait()
	if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE revoked_because = 'signed_out'`); n != 2 {
		t.Errorf("%d devices ended, want the browser and the Mac", n)
	}
}

// The sign-out of one browser does not slip between the look at it and the opening
// of a Mac: that came first, and what comes after the sign-out is refused.
func TestSigningABrowserOutWaitsForTheMacItIsOpening(t *testing.T) {
	r := newRig(t)
	a := newApp()
	browser := r.create(r.signIn("ann@example.com"))
	code, caller := r.code(browser, a), r.caller(browser)
	pgtest.Exec(r.t, r.pool, `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END';
		CREATE TRIGGER wait BEFORE INSERT ON session_families FOR EACH ROW EXECUTE FUNCTION wait()`)
	release := r.hold(`SELECT pg_advisory_xact_lock(7)`)
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := r.exchange(code, a); err != nil {
			t.Error(err)
		}
	})
	r.blocked(1)
	wg.Go(func() {
		if err := r.SignOut(context.Background(), caller, ""); err != nil {
			t.Error(err)
		}
	})
	r.blocked(2)
	release()
	wg.Wait()
	if _, err := r.CreateDevice(t.Context(), caller, session.Device{}); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("opened after the sign-out: %v", err)
	}
}
