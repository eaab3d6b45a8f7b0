package webhook

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
)

// broken says which promise does not hold at this moment.
func (s *simulation) broken() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	ctx := s.Context()
	const query = `SELECT
	(SELECT count(*) FROM unnest($1::text[]) a WHERE NOT EXISTS (SELECT FROM stripe_events WHERE id = a)) AS lost,
	(SELECT count(*) FROM stripe_events e WHERE state = 'pending' AND NOT EXISTS (SELECT FROM jobs.river_job WHERE args->>'id' = e.id)) AS stranded,
	(SELECT count(*) FROM stripe_events WHERE state NOT IN ('pending', 'applied') AND reason NOT IN ('fraud_warning', 'erased_account')) AS parked,
	(SELECT count(*) - count(DISTINCT id) FROM stripe_events) AS repeated,
	(SELECT count(*) - count(DISTINCT fact) FROM credit_grants WHERE user_id = ANY($2)) AS doubled,
	(SELECT count(*) FROM credit_grants g WHERE user_id = ANY($2) AND withdrawn + owed <> least(amount, (SELECT coalesce(sum(asked), 0) FROM credit_withdrawals w
		WHERE w.grant_id = g.id AND NOT EXISTS (SELECT FROM credit_restorations r WHERE r.fact = w.fact)))) AS miswithdrawn,
	(SELECT count(*) FROM credit_accounts WHERE balance < 0) AS negative`
	users := []string{}
	for _, user := range s.users {
		users = append(users, user.String())
	}
	row, err := s.admin.Query(ctx, query, s.acked, users)
	if err != nil {
		return err
	}
	counts, err := pgx.CollectExactlyOneRow(row, pgx.RowToMap)
	if err != nil {
		return err
	}
	for promise, n := range counts {
		if n != int64(0) {
			return fmt.Errorf("%s: %v", promise, n)
		}
	}
	accounts, err := db.New().CheckAccounts(ctx, s.admin, db.CheckAccountsParams{After: account(s.runs*10 - 1), PageSize: 10})
	for _, checked := range accounts {
		if checked.Problem != "" {
			return errors.New(checked.Problem)
		}
	}
	for _, sub := range s.subs {
		err = errors.Join(err, s.wentBack(sub))
	}
	return errors.Join(err, s.remains())
}

// wentBack says that billing has what Stripe said before what billing had already.
func (s *simulation) wentBack(sub *sold) error {
	row, err := db.New().GetSubscription(s.Context(), s.admin, sub.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil || sub.leaves != nil && row.StripeStatus == "canceled" { // an erasure does not wait for what Stripe says then
		return err
	}
	// What Stripe has said twice counts as said early.
	since := slices.IndexFunc(sub.history[sub.shown:], func(said stripe.Subscription) bool { return difference(row, said) == "" })
	if since < 0 {
		return fmt.Errorf("what is older has overwritten what is newer: %s", difference(row, sub.history[sub.shown]))
	}
	sub.shown += since
	return nil
}

// idle is when Stripe has told all, and all jobs are done.
func (s *simulation) idle() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, ev := range s.events {
		if !ev.acked {
			return false
		}
	}
	for _, spend := range s.spends {
		if !spend.answered {
			return false
		}
	}
	for _, sub := range s.subs {
		if sub.leaves != nil && !sub.left || slices.ContainsFunc(sub.words, func(w *word) bool { return !w.heard }) {
			return false
		}
	}
	var jobs int
	if err := s.admin.QueryRow(s.Context(), "SELECT count(*) FROM jobs.river_job").Scan(&jobs); err != nil {
		s.Error(err)
	}
	return jobs == 0 && len(s.taken) == 0
}

// unsettled says how the database differs from Stripe after all has become quiet.
func (s *simulation) unsettled() error {
	if !s.idle() {
		return errors.New("work is left")
	}
	ctx, pool := s.Context(), s.admin
	for _, sub := range s.subs {
		lost := slices.ContainsFunc(sub.disputes, func(d stripe.Dispute) bool { return d.Status == "lost" && sub.charged(d.ChargeID) })
		if lost && sub.Status != "canceled" {
			return errors.New("a lost dispute without the end of its subscription")
		}
	}
	for _, sub := range s.subs {
		if err := s.accounted(sub); err != nil {
			return err
		}
	}
	var spent, keys int
	err := pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM credit_entries WHERE kind = 'consume' AND user_id = ANY($1)),
		(SELECT count(*) FROM credit_keys WHERE user_id = ANY($1))`, s.users).Scan(&spent, &keys)
	if err != nil {
		return err
	}
	if spent != keys {
		return fmt.Errorf("%d spends for %d keys", spent, keys)
	}
	if err := errors.Join(s.packsUnsettled(), s.packsLast(), s.warningsUnsettled(), s.lateUntold(), s.misstood()); err != nil {
		return err
	}
	for _, sub := range s.subs {
		if err := s.differs(sub); err != nil {
			return err
		}
	}
	return nil
}

// given are the grants of an account, without what was given back.
func (s *simulation) given(sub *sold) (map[string]int64, error) {
	rows, err := s.admin.Query(s.Context(), "SELECT fact, amount FROM credit_grants WHERE user_id = $1 AND fact NOT LIKE '%/back'", sub.user)
	if err != nil {
		return nil, err
	}
	grants, fact, amount := map[string]int64{}, "", int64(0)
	_, err = pgx.ForEachRow(rows, []any{&fact, &amount}, func() error { grants[fact] = amount; return nil })
	return grants, err
}

// accounted says how what was granted and what went back differ from what was paid and paid back. Whoever has left is given
// nothing that had not been given by then.
func (s *simulation) accounted(sub *sold) error {
	grants, err := s.given(sub)
	if err != nil {
		return err
	}
	for paid, amount := range sub.grants {
		if given, ok := grants[paid]; given != amount && (ok || sub.leaves == nil) {
			return fmt.Errorf("%s was paid for and gave %d instead of %d", paid, given, amount)
		}
	}
	if len(grants) > len(sub.grants) {
		return fmt.Errorf("%d grants for %d facts", len(grants), len(sub.grants))
	}
	var withdrawals int
	err = s.admin.QueryRow(s.Context(), "SELECT count(*) FROM credit_withdrawals WHERE user_id = $1 AND fact NOT IN (SELECT fact FROM credit_restorations)", sub.user).Scan(&withdrawals)
	if err == nil && (withdrawals > len(sub.withdrawals) || withdrawals < len(sub.withdrawals) && sub.leaves == nil) {
		err = fmt.Errorf("%d withdrawals for %d refunds, disputes and warnings", withdrawals, len(sub.withdrawals))
	}
	return err
}

func (s *simulation) differs(sub *sold) error {
	if sub.ID == "" {
		return nil
	}
	row, err := db.New().GetSubscription(s.Context(), s.admin, sub.ID)
	if err != nil {
		return fmt.Errorf("%s: %w", sub.ID, err)
	}
	if d := difference(row, sub.Subscription); d != "" {
		return errors.New(d)
	}
	return nil
}

// difference is "" when billing has what Stripe said.
func difference(row db.GetSubscriptionRow, said stripe.Subscription) string {
	end, want := time.Time{}, time.Time{}
	if row.CancelAt != nil {
		end = row.CancelAt.UTC()
	}
	if said.CancelAtPeriodEnd {
		want = said.PeriodEnd
	}
	if row.StripeStatus == said.Status && row.PriceID == said.PriceID && row.PeriodStart.Equal(said.PeriodStart) && row.PeriodEnd.Equal(said.PeriodEnd) && end.Equal(want) {
		return ""
	}
	return fmt.Sprintf("%s is %s, %s until %s, ends %s; Stripe said %s, %s until %s, ends %s", row.ID,
		row.StripeStatus, row.PriceID, row.PeriodEnd, end, said.Status, said.PriceID, said.PeriodEnd, want)
}
