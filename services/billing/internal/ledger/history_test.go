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

func TestTheHistoryGoesOnWhereTheCursorSays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user, other := f.funded(1000), f.funded(1000)
	for i := range 6 {
		for _, account := range []uuid.UUID{user, other} {
			errtest.None(t, f.spend(account, fmt.Sprint(i), int64(i+1)))
		}
	}
	var numbers, balances []int64
	var cursor ledger.Cursor
	for range 10 {
		page, err := f.History(t.Context(), user, cursor, 3)
		errtest.None(t, err)
		for _, e := range page.Entries {
			numbers, balances = append(numbers, e.Number), append(balances, e.BalanceAfter)
		}
		if page.Next == 0 {
			break
		}
		// What comes in between belongs to the first page only.
		errtest.None(t, f.spend(user, fmt.Sprint("later", page.Next), 1))
		if cursor, err = ledger.DecodeCursor(page.Next.Encode()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(numbers, []int64{7, 6, 5, 4, 3, 2, 1}) || !slices.Equal(balances, []int64{979, 985, 990, 994, 997, 999, 1000}) {
		t.Errorf("numbers %v, balances %v", numbers, balances)
	}
}

func TestOnlyOurCursorsAreCursors(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"x", "AQ", "AgAAAAAAAAAB", "AQAAAAAAAAAA", "AQAAAAAAAAAB\n", "AQAAAAAAAAAB=", "Af__________", "1"} {
		if c, err := ledger.DecodeCursor(s); !errors.Is(err, ledger.ErrCursor) {
			t.Errorf("%q: %d, %v", s, c, err)
		}
	}
	for _, c := range []ledger.Cursor{0, 1, 1 << 40} {
		if got, err := ledger.DecodeCursor(c.Encode()); got != c || err != nil {
			t.Errorf("%d: %d, %v", c, got, err)
		}
	}
}

func TestTheDaysAreThoseOfUTCAndCountSpendingOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(5000)
	spendAt := func(at time.Time, amount int64) {
		f.clock.Advance(at.Sub(f.clock.Now()))
		errtest.None(t, f.spend(user, at.String(), amount))
	}
	// 30 days that end on the first of March begin on the 31st of January.
	spendAt(time.Date(2026, 1, 31, 23, 59, 59, 999999000, time.UTC), 10)
	spendAt(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), 20)
	spendAt(time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC), 30)
	held := f.hold(user, 500, 24*time.Hour)
	if _, err := f.Settle(t.Context(), user, held.ID, 5); err != nil {
		t.Fatal(err)
	}
	spendAt(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 40)
	f.clawback(ledger.Clawback{Fact: "re_1", Grant: user.String() + "/base", Amount: 100, Description: "Refund"})
	spent := func() map[string]int64 {
		page, err := f.History(t.Context(), user, 0, 1)
		if err != nil || len(page.Days) != 30 {
			t.Fatalf("%d days, %v", len(page.Days), err)
		}
		got := map[string]int64{}
		for i, d := range page.Days {
			if i > 0 && d.Start.Sub(page.Days[i-1].Start) != day || d.Start.Hour() != 0 {
				t.Errorf("day %d is %s", i, d.Start)
			}
			if d.Amount != 0 || i == 0 || i == 29 {
				got[d.Start.Format(time.DateOnly)] = d.Amount
			}
		}
		return got
	}
	if got, want := fmt.Sprint(spent()), "map[2026-01-31:10 2026-02-01:55 2026-03-01:40]"; got != want {
		t.Errorf("spent %s, want %s", got, want)
	}
	f.clock.Advance(2 * day)
	if got, want := fmt.Sprint(spent()), "map[2026-02-02:0 2026-03-01:40 2026-03-03:0]"; got != want {
		t.Errorf("two days later %s, want %s", got, want)
	}
}

func TestAClockThatGoesBackDoesNotDisorderTheEntries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	f.clock.Advance(-10 * time.Minute)
	errtest.None(t, f.spend(user, "k", 1))
	page, err := f.History(t.Context(), user, 0, 10)
	if err != nil || len(page.Entries) != 2 || page.Entries[0].Time.Before(page.Entries[1].Time) {
		t.Errorf("%+v, %v", page.Entries, err)
	}
}
