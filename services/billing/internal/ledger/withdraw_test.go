package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
)

func TestAClawbackTakesWhatIsLeftAndRecordsWhatIsNot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(5000)
	errtest.None(t, f.spend(user, "s", 2000))
	refund := ledger.Clawback{Fact: "re_1", Grant: user.String() + "/base", Amount: 5000, Description: "Refund"}
	if got, want := f.clawback(refund), (ledger.Clawed{New: true, Taken: 3000, Missing: 2000}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := f.clawback(refund), (ledger.Clawed{Taken: 3000, Missing: 2000}); got != want {
		t.Errorf("the second time %+v, want %+v", got, want)
	}
	dispute := refund
	dispute.Fact = "dp_1"
	if got, want := f.clawback(dispute), (ledger.Clawed{New: true}); got != want {
		t.Errorf("a dispute after the refund: %+v, want %+v", got, want)
	}
	f.has(user, 0, 2000, 2000, 0)
	if got := f.entries(user); !slices.Equal(got, []string{"grant 5000", "consume -2000", "clawback -3000"}) {
		t.Errorf("entries %v", got)
	}
	if got := f.metric("billing_credits_clawback_missing_total", ""); got != 20 {
		t.Errorf("%v credits counted as missing", got)
	}
}

func TestPartialClawbacksAddUpToTheGrantAtMost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	for i, want := range []ledger.Clawed{{New: true, Taken: 400}, {New: true, Taken: 400}, {New: true, Taken: 200}, {New: true}} {
		c := ledger.Clawback{Fact: string(rune('a' + i)), Grant: user.String() + "/base", Amount: 400, Description: "Refund"}
		if got := f.clawback(c); got != want {
			t.Errorf("clawback %d: %+v, want %+v", i, got, want)
		}
	}
	f.has(user, 0, 0, 0, 0)
}

func TestOtherGrantsDoNotPayForAClawback(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	errtest.None(t, f.spend(user, "s", 900))
	gift := monthly(user, "gift", 500, epoch)
	gift.Series = ""
	f.grant(gift)
	got := f.clawback(ledger.Clawback{Fact: "re_1", Grant: user.String() + "/base", Amount: 1000, Description: "Refund"})
	if want := (ledger.Clawed{New: true, Taken: 100, Missing: 900}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	f.has(user, 500, 1400, 900, 0)
}

func TestCreditsCannotHideFromAClawbackInAHold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	held := f.hold(user, 1000, time.Hour)
	got := f.clawback(ledger.Clawback{Fact: "re_1", Grant: user.String() + "/base", Amount: 600, Description: "Refund"})
	if want := (ledger.Clawed{New: true, Missing: 600}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := f.Settle(t.Context(), user, held.ID, 100); err != nil {
		t.Fatal(err)
	}
	f.has(user, 300, 400, 100, 0)
	if got := f.entries(user); !slices.Equal(got, []string{"grant 1000", "clawback -600", "consume -100"}) {
		t.Errorf("entries %v", got)
	}
}

func TestAClawbackOfNothingFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user, other := f.funded(100), f.funded(100)
	try := func(fact, grant string) error {
		return f.inTx(func(tx pgx.Tx) error {
			_, err := f.Clawback(t.Context(), tx, ledger.Clawback{Fact: fact, Grant: grant, Amount: 10, Description: "Refund"})
			return err
		})
	}
	if err := try("re_1", "never given"); !errors.Is(err, ledger.ErrNoGrant) {
		t.Errorf("a grant that never was: %v", err)
	}
	errtest.None(t, try("re_1", user.String()+"/base"))
	if err := try("re_1", other.String()+"/base"); err == nil {
		t.Error("a refund of one grant took from another")
	}
	f.has(other, 100, 100, 0, 0)
}
