package billing_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
)

func TestCreditsAreAdjustedOnceForAFact(t *testing.T) {
	r := newRig(t)
	user := uuid.New()
	for _, step := range []struct {
		args    []string
		says    string
		fails   string
		balance int64
	}{
		{args: []string{"+5.00", "TKT-1", "With our apologies"}, says: "done", balance: 500},
		{args: []string{"+5.00", "TKT-1", "With our apologies"}, says: "known", balance: 500},
		{args: []string{"-5.00", "TKT-1", "Taken back"}, says: "known", balance: 500},
		{args: []string{"-2.50", "TKT-2", "Given twice"}, says: "done", balance: 250},
		{args: []string{"-2.51", "TKT-3", "Too much"}, fails: "the account has less", balance: 250},
	} {
		out, err := adjust(t, r.environ["DATABASE_URL"], append([]string{user.String()}, step.args...)...)
		if (err == nil) != (step.fails == "") || (err != nil && !strings.Contains(err.Error(), step.fails)) || !strings.HasPrefix(out, step.says) {
			t.Errorf("%v: %q, %v", step.args, out, err)
		}
		credits, _, err := r.ledger.Credits(t.Context(), user)
		if err != nil || credits.Balance != step.balance {
			t.Errorf("%v: balance %d, %v; want %d", step.args, credits.Balance, err, step.balance)
		}
	}
	actions := audittest.Actions(t, r.pool)
	if len(actions) != 2 || actions[1].GetActorEmail() != "operator" || actions[1].GetReason() != "TKT-2" || actions[1].GetBefore() != `{"balance":"5.00"}` || actions[1].GetAfter() != `{"balance":"2.50"}` {
		t.Errorf("recorded %v", actions)
	}
	entries := 0
	var ends time.Time
	err := r.pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM credit_entries WHERE user_id = $1), (SELECT min(expires_at) FROM credit_grants WHERE user_id = $1)", user).Scan(&entries, &ends)
	if left := time.Until(ends); err != nil || entries != 2 || left < 89*24*time.Hour || left > 90*24*time.Hour+time.Second {
		t.Errorf("%d entries, credits end in %v, %v", entries, left, err)
	}
}

func TestAdjustmentsThatMakeNoSense(t *testing.T) {
	user := uuid.NewString()
	database := pgtest.New(t, "billing", store.Migrate)
	for _, args := range [][]string{
		{},
		{user, "+5.00", "TKT-1"},
		{"somebody", "+5.00", "TKT-1", "Sorry"},
		{user, "5.00", "TKT-1", "Sorry"},
		{user, "+5.0", "TKT-1", "Sorry"},
		{user, "+0.00", "TKT-1", "Sorry"},
		{user, "+99999999", "TKT-1", "Sorry"},
		{user, "+5.00", "", "Sorry"},
		{user, "+5.00", "TKT-1", strings.Repeat("x", 501)},
	} {
		if out, err := adjust(t, database, args...); err == nil {
			t.Errorf("%q: %q", args, out)
		}
	}
}

// TestCreditsThatWereSoldElsewhere are given until a day, once for what was paid.
func TestCreditsThatWereSoldElsewhere(t *testing.T) {
	r := newRig(t)
	user, database := uuid.New(), r.environ["DATABASE_URL"]
	day := time.Now().UTC().AddDate(1, 0, 0).Format(time.DateOnly)
	for _, says := range []string{"done", "known"} {
		if out, err := command(t, "grant-credits", database, user.String(), "2000", day, "INV-1", "Enterprise, first year"); err != nil || !strings.HasPrefix(out, says) {
			t.Errorf("%q, %v; want %s", out, err, says)
		}
	}
	if out, err := adjust(t, database, user.String(), "+5.00", "INV-1", "The same"); err != nil || !strings.HasPrefix(out, "known") {
		t.Errorf("the same fact by the other command: %q, %v", out, err)
	}
	credits, _, err := r.ledger.Credits(t.Context(), user)
	if err != nil || credits.Balance != 200000 || credits.PeriodEnd.UTC().AddDate(0, 0, -1).Format(time.DateOnly) != day {
		t.Errorf("%+v, %v", credits, err)
	}
	if actions := audittest.Actions(t, r.pool); len(actions) != 1 || actions[0].GetReason() != "INV-1" || actions[0].GetAfter() != `{"balance":"2000.00"}` {
		t.Errorf("recorded %v", actions)
	}
	for _, args := range [][]string{
		{user.String(), "2000", day, "INV-2"},
		{"somebody", "2000", day, "INV-2", "x"},
		{user.String(), "-2000", day, "INV-2", "x"},
		{user.String(), "0", day, "INV-2", "x"},
		{user.String(), "2000", "2020-01-01", "INV-2", "x"},
		{user.String(), "2000", "2227-01-01", "INV-2", "x"},
		{user.String(), "2000", "31.12.2027", "INV-2", "x"},
		{user.String(), "2000", day, "", "x"},
	} {
		if out, err := command(t, "grant-credits", database, args...); err == nil {
			t.Errorf("%q: %q", args, out)
		}
	}
}

func adjust(t *testing.T, databaseURL string, args ...string) (string, error) {
	t.Helper()
	return command(t, "adjust-credits", databaseURL, args...)
}

func command(t *testing.T, name, databaseURL string, args ...string) (string, error) {
	t.Helper()
	for _, c := range billing.Commands() {
		if c.Name != name {
			continue
		}
		var out, log bytes.Buffer
		err := c.Run(t.Context(), service.Call{
			Args: args, Environ: []string{"DATABASE_URL=" + databaseURL, "DATABASE_DEADLINE=20s"}, Out: &out,
			Runtime: service.NewRuntime("billing", "test", obs.NewLogger(&log, "billing", 0)),
		})
		return out.String(), err
	}
	t.Fatal("there is no such command")
	return "", nil
}

// TestADecisionIsAboutOneObject: a second one is not taken for the reason.
func TestADecisionIsAboutOneObject(t *testing.T) {
	database := pgtest.New(t, "billing", store.Migrate)
	for _, args := range [][]string{{"accept", "in_1", "in_2"}, {"ignore", "in_1", "sub_2"}, {"grant", "in_1", "50", "in_2"}} {
		if out, err := command(t, args[0], database, args[1:]...); err == nil || !strings.Contains(err.Error(), "looks like another id") {
			t.Errorf("%q: %q, %v", args, out, err)
		}
	}
}
