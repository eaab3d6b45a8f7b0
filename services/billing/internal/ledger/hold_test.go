package ledger_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
)

func TestAHoldIsSettledAtItsCost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	held := f.hold(user, 400, time.Hour)
	if want := (ledger.Credits{Balance: 600, Granted: 1000, Held: 400, PeriodEnd: epoch.AddDate(0, 0, 30)}); held.Credits != want {
		t.Errorf("after the hold: %+v, want %+v", held.Credits, want)
	}
	if !held.ExpiresAt.Equal(epoch.Add(time.Hour)) {
		t.Errorf("the hold expires %s", held.ExpiresAt)
	}
	if err := f.spend(user, "s", 601); !errors.Is(err, ledger.ErrInsufficient) {
		t.Errorf("what is held cannot be spent: %v", err)
	}
	if _, err := f.Settle(t.Context(), user, held.ID, 401); !errors.Is(err, ledger.ErrAboveHold) {
		t.Errorf("settling above the hold: %v", err)
	}
	if _, err := f.Settle(t.Context(), uuid.New(), held.ID, 0); !errors.Is(err, ledger.ErrNoHold) {
		t.Errorf("settling a stranger's hold: %v", err)
	}
	first, err := f.Settle(t.Context(), user, held.ID, 150)
	errtest.None(t, err)
	f.has(user, 850, 1000, 150, 0)
	errtest.None(t, f.spend(user, "s", 50))
	if again, err := f.Settle(t.Context(), user, held.ID, 150); err != nil || again != first {
		t.Errorf("settled again: %+v, %v; the first time %+v", again, err, first)
	}
	if _, err := f.Settle(t.Context(), user, held.ID, 0); !errors.Is(err, ledger.ErrHoldSettled) {
		t.Errorf("settled again at another cost: %v", err)
	}
	if again := f.hold(user, 400, time.Hour); again != held {
		t.Errorf("the hold's key answers %+v, before %+v", again, held)
	}
	if _, err := f.Hold(t.Context(), ledger.Spend{UserID: user, Key: "h", Amount: 400, Description: "Screen"}, time.Minute); !errors.Is(err, ledger.ErrKeyReused) {
		t.Errorf("the hold's key with another lifetime: %v", err)
	}
	f.has(user, 800, 1000, 200, 0)
}

func TestWorkThatFailedCostsNothingAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	held := f.hold(user, 1000, time.Hour)
	if _, err := f.Settle(t.Context(), user, held.ID, 0); err != nil {
		t.Fatal(err)
	}
	f.has(user, 1000, 1000, 0, 0)
	if got := f.entries(user); !slices.Equal(got, []string{"grant 1000"}) {
		t.Errorf("entries %v", got)
	}
}

func TestAForgottenHoldGoesBackByItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	held := f.hold(user, 600, time.Minute)
	f.clock.Advance(time.Minute - time.Microsecond)
	f.has(user, 400, 1000, 0, 600)
	f.clock.Advance(time.Microsecond)
	f.has(user, 1000, 1000, 0, 0)
	if _, err := f.Settle(t.Context(), user, held.ID, 100); !errors.Is(err, ledger.ErrHoldExpired) {
		t.Errorf("settling too late: %v", err)
	}
	if _, err := f.Settle(t.Context(), user, held.ID, 0); err != nil {
		t.Errorf("releasing too late is no failure: %v", err)
	}
	if got := f.metric("billing_credit_holds_expired_total", ""); got != 1 {
		t.Errorf("%v expired holds counted", got)
	}
}

func TestALateSettleFindsTheHoldExpiredWithoutTheJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	held := f.hold(user, 600, time.Minute)
	f.clock.Advance(time.Minute)
	if _, err := f.Settle(t.Context(), user, held.ID, 100); !errors.Is(err, ledger.ErrHoldExpired) {
		t.Errorf("got %v", err)
	}
	if err := f.spend(user, "s", 1000); err != nil {
		t.Errorf("what went back can be spent at once: %v", err)
	}
}

func TestAGrantThatEndsDuringAHoldKeepsWhatIsHeld(t *testing.T) {
	t.Parallel()
	for cost, want := range map[int64][]string{
		0:   {"grant 1000", "expire -700", "expire -300"},
		100: {"grant 1000", "expire -700", "expire -200", "consume -100"},
		300: {"grant 1000", "expire -700", "consume -300"},
	} {
		t.Run(fmt.Sprint(cost), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			user := f.funded(1000)
			f.clock.Advance(33*day - time.Minute)
			held := f.hold(user, 300, time.Hour)
			f.clock.Advance(time.Minute)
			f.has(user, 0, 0, 0, 0)
			if _, err := f.Settle(t.Context(), user, held.ID, cost); err != nil {
				t.Fatal(err)
			}
			f.has(user, 0, 0, 0, 0)
			if got := f.entries(user); !slices.Equal(got, want) {
				t.Errorf("entries %v, want %v", got, want)
			}
			if got := f.metric("billing_credits_total", "expire"); got != float64(1000-cost)/100 {
				t.Errorf("%v credits counted as expired", got)
			}
		})
	}
}

func TestAHoldOverTwoGrantsGivesBackToBoth(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(100)
	next := monthly(user, "gift", 100, epoch)
	next.Series, next.ExpiresAt = "", epoch.Add(60*day)
	f.grant(next)
	held := f.hold(user, 150, 24*time.Hour)
	if _, err := f.Settle(t.Context(), user, held.ID, 80); err != nil {
		t.Fatal(err)
	}
	for fact, want := range map[string]int{"base": 20, "gift": 100} {
		if got := f.count("SELECT remaining FROM credit_grants WHERE fact = $1", user.String()+"/"+fact); got != want {
			t.Errorf("%s has %d left, want %d", fact, got, want)
		}
	}
	f.has(user, 120, 200, 80, 0)
}
