package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

// lock keeps an account busy until the transaction is rolled back.
func (f *fixture) lock(user uuid.UUID) pgx.Tx {
	f.t.Helper()
	tx, err := f.pool.Begin(context.Background())
	errtest.None(f.t, err)
	f.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	if _, err := tx.Exec(context.Background(), "SELECT credits_lock($1)", user); err != nil {
		f.t.Fatal(err)
	}
	return tx
}

func TestABusyAccountLeavesThePoolToTheOthers(t *testing.T) {
	t.Parallel()
	url := newDatabase(t)
	f, blocker := replica(t, url, 4), replica(t, url, 1)
	busy, calm := f.funded(5000), f.funded(5000)
	tx := blocker.lock(busy)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := f.spend(busy, fmt.Sprint(i), 1); err != nil {
				t.Error(err)
			}
		})
	}
	waittest.Eventually(t, "somebody waits for the busy account", func() bool { return f.pool.Stat().AcquiredConns() > 0 })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for i := range 20 {
		if _, err := f.Consume(ctx, ledger.Spend{UserID: calm, Key: fmt.Sprint(i), Amount: 1, Description: "Screen"}); err != nil {
			t.Fatalf("the calm account: %v", err)
		}
	}
	if n := f.pool.Stat().AcquiredConns(); n > 1 {
		t.Errorf("the busy account has %d connections", n)
	}
	errtest.None(t, tx.Rollback(t.Context()))
	wg.Wait()
	f.has(busy, 4980, 5000, 20, 0)
}

func TestWaitingForABusyAccountEndsInTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(100)
	tx := f.lock(user)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			_, err := f.Consume(ctx, ledger.Spend{UserID: user, Key: fmt.Sprint(i), Amount: 1, Description: "Screen"})
			if !errors.Is(err, fault.Unavailable) {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
	errtest.None(t, tx.Rollback(t.Context()))
	if err := f.spend(user, "after", 1); err != nil {
		t.Error(err)
	}
	f.addsUp(user)
}

// Calls that share a transaction are answered when it is committed, and not before.
func TestCallsThatShareATransactionShareItsFate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	tx := f.lock(user)
	var wg sync.WaitGroup
	consume := func(key, description string, want error) {
		wg.Go(func() {
			_, err := f.Consume(context.Background(), ledger.Spend{UserID: user, Key: key, Amount: 100, Description: description})
			if !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", key, err, want)
			}
		})
	}
	consume("alone", "Screen", nil)
	waittest.Eventually(t, "the first call is under way", func() bool { return f.pool.Stat().AcquiredConns() == 2 })
	consume("a", "Screen", fault.Internal)
	waittest.Eventually(t, "the second call waits", func() bool { return f.Waiting(user) == 1 })
	// No handler lets this through; Postgres has no such text.
	consume("b", "\x00", fault.Internal)
	waittest.Eventually(t, "the third call waits", func() bool { return f.Waiting(user) == 2 })
	consume("c", "Screen", fault.Internal)
	waittest.Eventually(t, "the fourth call waits", func() bool { return f.Waiting(user) == 3 })
	errtest.None(t, tx.Rollback(t.Context()))
	wg.Wait()
	f.has(user, 900, 1000, 100, 0)
	consume("a", "Screen", nil)
	consume("c", "Screen", nil)
	wg.Wait()
	f.has(user, 700, 1000, 300, 0)
	if n := f.Waiting(user); n != 0 {
		t.Errorf("%d calls are left", n)
	}
}
