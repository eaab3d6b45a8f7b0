package ledger_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
)

func TestWhatEndsWhen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(5000)
	month, day := epoch.AddDate(0, 0, 30), epoch.AddDate(0, 0, 10)
	f.grant(ledger.Grant{UserID: user, Fact: "gift/" + user.String(), Description: "Gift", Amount: 300, PeriodStart: epoch, PeriodEnd: day, ExpiresAt: day})
	f.grant(ledger.Grant{UserID: user, Fact: "again/" + user.String(), Description: "Gift", Amount: 100, PeriodStart: epoch, PeriodEnd: month, ExpiresAt: month})
	f.grant(monthly(uuid.New(), "base", 700, epoch))
	ends := func(when string, want ...ledger.Ending) {
		t.Helper()
		if got, err := f.Endings(t.Context(), user); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", when, got, err, want)
		}
	}
	ends("at first", ledger.Ending{At: day, Amount: 300}, ledger.Ending{At: month, Amount: 5100})
	errtest.None(t, f.spend(user, "a", 50))
	f.hold(user, 250, time.Hour)
	ends("after 2.50 were set aside of what ends first", ledger.Ending{At: month, Amount: 5100})
	f.clock.Advance(31 * 24 * time.Hour)
	ends("when the next month is not paid", ledger.Ending{At: month.Add(ledger.Grace), Amount: 5000})
	f.clock.Advance(ledger.Grace)
	ends("when all is over")
}

func TestTheHistorySaysWhatWasPaid(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := uuid.New()
	base, upgrade := monthly(user, "base", 5000, epoch), monthly(user, "upgrade", 2500, epoch)
	base.Paid = ledger.Payment{Invoice: "in_" + user.String(), Amount: 2975, Currency: "eur"}
	upgrade.Paid = base.Paid // one invoice: its money counts once
	f.grant(base)
	f.grant(upgrade)
	f.grant(base)
	errtest.None(t, f.spend(user, "a", 50))
	page, err := f.History(t.Context(), user, 0, 10)
	errtest.None(t, err)
	var got []string
	for _, e := range page.Entries {
		got = append(got, e.Kind+" "+e.Currency)
		if (e.Paid == 2975) != (e.Currency == "eur") {
			t.Errorf("entry %+v", e)
		}
	}
	if want := []string{"consume ", "grant ", "grant eur"}; !slices.Equal(got, want) {
		t.Errorf("the entries are %q, want %q", got, want)
	}
}
