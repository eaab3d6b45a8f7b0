package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

const day = 24 * time.Hour

func TestAnAccountThatNeverHadCreditsHasNone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := uuid.New()
	if got, ok, err := f.Credits(t.Context(), user); ok || err != nil {
		t.Errorf("Credits = %+v, %t, %v", got, ok, err)
	}
	if err := f.spend(user, "k", 1); !errors.Is(err, ledger.ErrInsufficient) {
		t.Errorf("spending from nothing: %v", err)
	}
	if n := f.count("SELECT count(*) FROM credit_accounts"); n != 0 {
		t.Errorf("%d accounts after a refused spend", n)
	}
}

func TestSpendingGoesFromWhatEndsFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	late, soon := monthly(user, "late", 500, epoch), monthly(user, "soon", 300, epoch)
	late.Series, late.ExpiresAt = "", epoch.Add(90*day)
	soon.Series, soon.ExpiresAt = "", epoch.Add(31*day)
	f.grant(late)
	f.grant(soon)
	errtest.None(t, f.spend(user, "a", 1200))
	f.has(user, 600, 1800, 1200, 0)
	for fact, want := range map[string]int{"soon": 0, "base": 100, "late": 500} {
		if got := f.count("SELECT remaining FROM credit_grants WHERE fact = $1", user.String()+"/"+fact); got != want {
			t.Errorf("%s has %d left, want %d", fact, got, want)
		}
	}
	credits, _, _ := f.Credits(t.Context(), user)
	if want := epoch.AddDate(0, 0, 30); !credits.PeriodEnd.Equal(want) {
		t.Errorf("the first period ends %s, want %s", credits.PeriodEnd, want)
	}
}

func TestARefusedSpendLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(100)
	if err := f.spend(user, "k", 101); !errors.Is(err, ledger.ErrInsufficient) {
		t.Fatalf("got %v", err)
	}
	f.has(user, 100, 100, 0, 0)
	if err := f.spend(user, "k", 100); err != nil {
		t.Errorf("the key of a refused spend is still good: %v", err)
	}
	if got := f.metric("billing_credits_insufficient_total", "consume"); got != 1 {
		t.Errorf("%v refusals counted", got)
	}
	if got := f.metric("billing_credits_total", "consume"); got != 1 {
		t.Errorf("%v credits counted as spent, want 1.00", got)
	}
}

func TestAKeySpendsOnceAndAnswersTheSame(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user, other := f.funded(1000), f.funded(1000)
	spend := ledger.Spend{UserID: user, Key: "k", Amount: 250, Description: "Generated screen"}
	first, err := f.Consume(t.Context(), spend)
	errtest.None(t, err)
	errtest.None(t, f.spend(user, "another", 100))
	again, err := f.Consume(t.Context(), spend)
	if err != nil || again != first {
		t.Errorf("the second answer is %+v, %v; the first was %+v", again, err, first)
	}
	dearer, renamed := spend, spend
	dearer.Amount, renamed.Description = 251, "Something else"
	for name, s := range map[string]ledger.Spend{"another amount": dearer, "another description": renamed} {
		if _, err := f.Consume(t.Context(), s); !errors.Is(err, ledger.ErrKeyReused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Hold(t.Context(), spend, time.Minute); !errors.Is(err, ledger.ErrKeyReused) {
		t.Errorf("a hold with a spend's key: %v", err)
	}
	if err := f.spend(other, "k", 250); err != nil {
		t.Errorf("keys are scoped to the account: %v", err)
	}
	f.has(user, 650, 1000, 350, 0)
}

func TestParallelCallsWithOneKeyHaveOneEffectAndOneAnswer(t *testing.T) {
	t.Parallel()
	url := newDatabase(t)
	replicas := []*fixture{replica(t, url, 10), replica(t, url, 10)}
	user := replicas[0].funded(5000)
	answers := make([]ledger.Consumed, 50)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			var err error
			answers[i], err = replicas[i%2].Consume(context.Background(), ledger.Spend{UserID: user, Key: "k", Amount: 700, Description: "Screen"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if i := slices.IndexFunc(answers, func(c ledger.Consumed) bool { return c != answers[0] }); i >= 0 {
		t.Errorf("answer %d is %+v, the first is %+v", i, answers[i], answers[0])
	}
	replicas[0].has(user, 4300, 5000, 700, 0)
}

func TestReplicasTogetherNeverSpendMoreThanThereIs(t *testing.T) {
	t.Parallel()
	url := newDatabase(t)
	replicas := []*fixture{replica(t, url, 10), replica(t, url, 10)}
	for round := range 5 {
		user := replicas[0].funded(5000)
		var mu sync.Mutex
		outcomes := map[string]int{}
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				err := replicas[i%2].spend(user, fmt.Sprint(i), 100)
				outcome := "spent"
				if err != nil {
					outcome = fault.Of(err).Reason
				}
				mu.Lock()
				defer mu.Unlock()
				outcomes[outcome]++
			})
		}
		wg.Wait()
		if outcomes["spent"] != 50 || outcomes["insufficient_credits"] != 50 {
			t.Fatalf("round %d: %v, want 50 spent and 50 refused", round, outcomes)
		}
		replicas[1].has(user, 0, 5000, 5000, 0)
	}
}
