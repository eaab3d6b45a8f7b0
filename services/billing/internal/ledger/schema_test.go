package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
)

// TestTheDatabaseItselfRefuses tries what no code of ours does: the constraints
// hold even if the functions are wrong one day.
func TestTheDatabaseItselfRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1000)
	errtest.None(t, f.spend(user, "k", 100))
	f.hold(user, 200, time.Hour)
	// The database keeps young keys by its own clock.
	if _, err := f.pool.Exec(t.Context(), `INSERT INTO credit_keys SELECT user_id, 'young', method, amount, description, lifetime_seconds, answer, now() - interval '30 days'
		FROM credit_keys WHERE key = 'k'`); err != nil {
		t.Fatal(err)
	}
	f.clawback(ledger.Clawback{Fact: "re_1", Grant: user.String() + "/base", Amount: 10, Description: "Refund"})
	f.clawback(ledger.Clawback{Fact: "re_2", Grant: user.String() + "/base", Amount: 10, Description: "Refund"})
	f.restore(user, "re_2")
	const (
		restrict = "23001"
		check    = "23514"
		unique   = "23505"
	)
	// By SQLSTATE, or by the constraint that must be the one.
	for statement, want := range map[string]string{
		"UPDATE credit_accounts SET balance = -1, held = 0":                 "credit_balance_not_negative",
		"UPDATE credit_accounts SET held = balance + 1":                     "credit_held_within_balance",
		"UPDATE credit_accounts SET held = -1":                              check,
		"UPDATE credit_entries SET amount = 1":                              restrict,
		"DELETE FROM credit_entries":                                        restrict,
		"TRUNCATE credit_entries":                                           restrict,
		"UPDATE credit_keys SET amount = 1":                                 restrict,
		"DELETE FROM credit_keys":                                           restrict,
		"UPDATE credit_withdrawals SET taken = 0":                           restrict,
		"UPDATE credit_restorations SET given = 0":                          restrict,
		"DELETE FROM credit_restorations":                                   restrict,
		"INSERT INTO credit_restorations SELECT * FROM credit_restorations": unique,
		"DELETE FROM credit_grants":                                         restrict,
		"UPDATE credit_grants SET amount = 2 * amount":                      restrict,
		"UPDATE credit_grants SET expires_at = 'infinity'":                  restrict,
		"UPDATE credit_grants SET remaining = -1":                           check,
		"UPDATE credit_grants SET remaining = amount":                       check,
		"UPDATE credit_grants SET held = remaining + 1":                     check,
		"INSERT INTO credit_keys SELECT * FROM credit_keys":                 unique,
		"INSERT INTO credit_entries SELECT * FROM credit_entries":           unique,
		"INSERT INTO credit_withdrawals SELECT * FROM credit_withdrawals":   unique,
		"INSERT INTO credit_entries SELECT user_id, 9, now(), 'consume', 5, 5, 'x', '{1}', '{5}' FROM credit_accounts":    check,
		"INSERT INTO credit_entries SELECT user_id, 9, now(), 'present', 5, 5, 'x', '{1}', '{5}' FROM credit_accounts":    check,
		"INSERT INTO credit_entries SELECT user_id, 9, now(), 'consume', -5, -5, 'x', '{1}', '{-5}' FROM credit_accounts": check,
	} {
		_, err := f.pool.Exec(t.Context(), statement)
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != want && pgErr.ConstraintName != want {
			t.Errorf("%s: %v, want %s", statement, err, want)
		}
	}
	const again = `INSERT INTO credit_grants (user_id, fact, series, replaces, reference, description, amount, remaining, period_start, period_end, expires_at, created_at)
		SELECT user_id, fact, series, replaces, reference, description, amount, 0, period_start, period_end, expires_at, created_at FROM credit_grants`
	_, err := f.pool.Exec(t.Context(), again)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.ConstraintName != "credit_fact_once" {
		t.Errorf("a fact for a second time: %v", err)
	}
	f.has(user, 690, 990, 100, 200)
}
