package ledger_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
)

func TestAFactIsGrantedOnce(t *testing.T) {
	t.Parallel()
	url := newDatabase(t)
	replicas := []*fixture{replica(t, url, 10), replica(t, url, 10)}
	user := uuid.New()
	g := monthly(user, "base", 5000, epoch)
	var mu sync.Mutex
	fresh := 0
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			if replicas[i%2].grant(g) {
				mu.Lock()
				defer mu.Unlock()
				fresh++
			}
		})
	}
	wg.Wait()
	f := replicas[0]
	f.has(user, 5000, 5000, 0, 0)
	if got := f.entries(user); fresh != 1 || !slices.Equal(got, []string{"grant 5000"}) {
		t.Errorf("new %d times, entries %v", fresh, got)
	}
}

func TestAGrantLivesAndDiesWithTheCallersTransaction(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := uuid.New()
	crash := errors.New("crash")
	err := f.inTx(func(tx pgx.Tx) error {
		if isNew, err := f.Grant(t.Context(), tx, monthly(user, "base", 100, epoch)); !isNew || err != nil {
			t.Errorf("Grant = %t, %v", isNew, err)
		}
		return crash
	})
	if !errors.Is(err, crash) {
		t.Fatal(err)
	}
	if n := f.count(`SELECT (SELECT count(*) FROM credit_accounts) + (SELECT count(*) FROM credit_grants)
		+ (SELECT count(*) FROM credit_entries)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	if !f.grant(monthly(user, "base", 100, epoch)) {
		t.Error("the fact must still be new")
	}
}

func TestAFactOfAnotherAccountFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	g := monthly(f.funded(100), "base", 100, epoch)
	g.UserID = uuid.New()
	err := f.inTx(func(tx pgx.Tx) error {
		_, err := f.Grant(t.Context(), tx, g)
		return err
	})
	if err == nil {
		t.Error("accepted")
	}
	if n := f.count("SELECT count(*) FROM credit_accounts"); n != 1 {
		t.Errorf("%d accounts", n)
	}
}

func TestTheNextPeriodEndsTheOneBefore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(5000)
	upgrade := monthly(user, "upgrade", 5000, epoch)
	f.grant(upgrade)
	f.has(user, 10000, 10000, 0, 0)
	errtest.None(t, f.spend(user, "s", 1000))
	f.clock.Advance(30*day - time.Hour)
	held := f.hold(user, 500, 24*time.Hour)
	f.clock.Advance(2 * time.Hour)
	f.grant(monthly(user, "next", 10000, epoch.AddDate(0, 0, 30)))
	f.has(user, 10000, 10000, 0, 0)
	if _, err := f.Settle(t.Context(), user, held.ID, 0); err != nil {
		t.Fatal(err)
	}
	f.has(user, 10000, 10000, 0, 0)
	if got := f.metric("billing_credits_total", "expire"); got != 90 {
		t.Errorf("%v credits counted as expired, want 90", got)
	}
}

// TestWhatReplacesNothingIsReplacedByNothing: it stands beside its series for its own time, whichever is granted first.
func TestWhatReplacesNothingIsReplacedByNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before, after := f.funded(5000), f.funded(5000)
	f.clock.Advance(29 * day)
	beside := func(user uuid.UUID) {
		g := monthly(user, "late", 3000, epoch.AddDate(0, 0, 29))
		g.Replaces = false
		f.grant(g)
	}
	beside(before)
	f.has(before, 8000, 8000, 0, 0)
	f.clock.Advance(day)
	for _, user := range []uuid.UUID{before, after} {
		f.grant(monthly(user, "next", 5000, epoch.AddDate(0, 0, 30)))
	}
	beside(after)
	for _, user := range []uuid.UUID{before, after} {
		f.has(user, 8000, 8000, 0, 0)
	}
	f.clock.Advance(29*day + ledger.Grace)
	for _, user := range []uuid.UUID{before, after} {
		f.has(user, 5000, 5000, 0, 0)
	}
}

func TestTheOrderOfPeriodsDoesNotMatter(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.clock.Advance(61 * day)
	order := func(user uuid.UUID) []ledger.Grant {
		return []ledger.Grant{
			monthly(user, "1", 5000, epoch), monthly(user, "2", 5000, epoch.AddDate(0, 0, 30)), monthly(user, "3", 5000, epoch.AddDate(0, 0, 60)),
		}
	}
	for _, places := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		user := uuid.New()
		for _, i := range places {
			if !f.grant(order(user)[i]) {
				t.Errorf("%v: period %d is not new", places, i)
			}
		}
		f.has(user, 5000, 5000, 0, 0)
		if n := f.count("SELECT count(*) FROM credit_grants WHERE user_id = $1", user); n != 3 {
			t.Errorf("%v: %d grants", places, n)
		}
	}
}

func TestAGrantEndsAtTheLatestAfterTheGrace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user, idle := f.funded(5000), f.funded(700)
	f.clock.Advance(30*day + ledger.Grace - time.Microsecond)
	f.has(user, 5000, 5000, 0, 0)
	f.clock.Advance(time.Microsecond)
	if err := f.spend(user, "s", 1); !errors.Is(err, ledger.ErrInsufficient) {
		t.Errorf("spending what has ended: %v", err)
	}
	f.has(user, 0, 0, 0, 0)
	errtest.None(t, f.Lapse(t.Context()))
	if got := f.entries(idle); !slices.Equal(got, []string{"grant 700", "expire -700"}) {
		t.Errorf("the account that nobody touched has %v", got)
	}
	if n := f.count("SELECT count(*) FROM credit_accounts WHERE next_due IS NOT NULL"); n != 0 {
		t.Errorf("%d accounts are still due", n)
	}
}

func TestAdjustmentsByHand(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := uuid.New()
	user := first
	adjust := func(fact string, amount int64) (isNew bool, err error) {
		err = f.inTx(func(tx pgx.Tx) error {
			isNew, err = f.Adjust(context.Background(), tx, ledger.Adjustment{
				UserID: user, Fact: fact, Amount: amount, ExpiresAt: epoch.Add(90 * day), Description: "With our apologies",
			})
			return err
		})
		return isNew, err
	}
	for _, step := range []struct {
		fact   string
		amount int64
		isNew  bool
	}{{"ticket 1", 500, true}, {"ticket 1", 500, false}, {"ticket 1", -500, false}, {"ticket 2", -200, true}, {"ticket 2", -200, false}, {"ticket 2", 200, false}} {
		if isNew, err := adjust(step.fact, step.amount); err != nil || isNew != step.isNew {
			t.Errorf("%+v: %t, %v", step, isNew, err)
		}
	}
	if _, err := adjust("ticket 3", -301); !errors.Is(err, ledger.ErrInsufficient) {
		t.Errorf("taking more than there is: %v", err)
	}
	user = uuid.New()
	for _, amount := range []int64{100, -100} {
		for _, fact := range []string{"ticket 1", "ticket 2"} {
			if _, err := adjust(fact, amount); err == nil {
				t.Errorf("%s: %d for another account", fact, amount)
			}
		}
	}
	user = first
	f.has(user, 300, 300, 0, 0)
	if got := f.entries(user); !slices.Equal(got, []string{"adjust 500", "adjust -200"}) {
		t.Errorf("entries %v", got)
	}
}
