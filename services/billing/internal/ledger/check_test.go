package ledger_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

func TestTheCheckFindsWhatDoesNotAddUp(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ damage, problem string }{
		"balance":       {"UPDATE credit_accounts SET balance = balance + 1", "balance is not the sum of the entries"},
		"held":          {"UPDATE credit_accounts SET held = held - 1", "held is not the sum of the open holds"},
		"grant":         {"UPDATE credit_grants SET remaining = remaining - 1", "balance is not the sum of the grants"},
		"grant's held":  {"UPDATE credit_grants SET held = 0", "held is not the sum over the grants"},
		"lost entry":    {"DELETE FROM credit_entries WHERE number = 2", "entries are missing"},
		"changed entry": {"UPDATE credit_entries SET amount = amount - 1 WHERE number = 2", "a balance after an entry is wrong"},
		"changed parts": {"UPDATE credit_entries SET parts = '{-1}' WHERE number = 2", "a grant is not explained by its entries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			healthy, user := f.funded(500), f.funded(1000)
			errtest.None(t, f.spend(user, "k", 100))
			f.hold(user, 300, time.Hour)
			if wrong, err := f.Check(t.Context()); wrong != 0 || err != nil || f.metric("billing_balance_check_accounts", "") != 2 {
				t.Fatalf("before the damage: %d wrong, %v", wrong, err)
			}
			damage := strings.Replace(tc.damage+" WHERE user_id = $1", "number = 2 WHERE", "number = 2 AND", 1)
			// Even an owner has to go out of their way to change what was written.
			if _, err := f.pool.Exec(t.Context(), "ALTER TABLE credit_entries DISABLE TRIGGER ALL"); err != nil {
				t.Fatal(err)
			}
			if _, err := f.pool.Exec(t.Context(), damage, user); err != nil {
				t.Fatal(err)
			}
			if wrong, err := f.Check(t.Context()); wrong != 1 || err != nil {
				t.Errorf("%d wrong, %v", wrong, err)
			}
			if logged := f.logs.String(); !strings.Contains(logged, "level=ERROR") || !strings.Contains(logged, user.String()) ||
				!strings.Contains(logged, tc.problem) || strings.Contains(strings.SplitN(logged, "level=ERROR", 2)[1], healthy.String()) {
				t.Errorf("logged %s", logged)
			}
			if got := f.metric("billing_balance_check_failures_total", ""); got != 1 {
				t.Errorf("%v failures counted", got)
			}
		})
	}
}

func TestTheCheckReadsEveryPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const accounts = 230
	for range accounts {
		f.funded(100)
	}
	if wrong, err := f.Check(t.Context()); wrong != 0 || err != nil || f.metric("billing_balance_check_accounts", "") != accounts {
		t.Errorf("%d wrong, %v, %v accounts", wrong, err, f.metric("billing_balance_check_accounts", ""))
	}
	f.clock.Advance(31*day + ledger.Grace)
	errtest.None(t, f.Lapse(t.Context()))
	if n := f.count("SELECT count(*) FROM credit_entries WHERE kind = 'expire'"); n != accounts {
		t.Errorf("%d of %d grants ended", n, accounts)
	}
}

func TestOneBrokenAccountDoesNotKeepTheOthersFromEnding(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	broken, healthy := f.funded(100), f.funded(100)
	// The grant cannot end: the balance would become negative.
	if _, err := f.pool.Exec(t.Context(), "UPDATE credit_accounts SET balance = 50 WHERE user_id = $1", broken); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(31*day + ledger.Grace)
	if err := f.Lapse(t.Context()); err == nil {
		t.Error("no error about the broken account")
	}
	f.has(healthy, 0, 0, 0, 0)
	if n := f.count("SELECT count(*) FROM credit_entries WHERE kind = 'expire' AND user_id = $1", healthy); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func TestTheTasksWorkByThemselvesAndStop(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(100)
	f.clock.Advance(31*day + ledger.Grace)
	for _, task := range f.Tasks() {
		// Whoever ends a hold or a grant locks its account.
		if task.Exclusive != (task.Name == "balance_check") {
			t.Errorf("%s: in one replica at a time: %t", task.Name, task.Exclusive)
		}
	}
	background, err := periodic.New(f.pool, service.NewRuntime("billing", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	stop, err := background.Unit(f.Tasks()...).Start(t.Context())
	errtest.None(t, err)
	waittest.Eventually(t, "credits end", func() bool {
		return f.count("SELECT count(*) FROM credit_entries WHERE kind = 'expire' AND user_id = $1", user) > 0
	})
	waittest.Eventually(t, "balances are checked", func() bool { return f.metric("billing_balance_check_accounts", "") == 1 })
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
}
