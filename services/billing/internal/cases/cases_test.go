package cases_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/cases"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

var user = uuid.MustParse("00000000-0000-4000-8000-000000000001")

type rig struct {
	*testing.T
	pool   *pgxpool.Pool
	ledger *ledger.Ledger
	cases  *cases.Service
}

func newRig(t *testing.T) *rig {
	t.Helper()
	database := pgtest.New(t, "billing", func(ctx context.Context, url string) error {
		return errors.Join(store.Migrate(ctx, url), webhook.Migrate(ctx, url))
	})
	pool, err := pgxpool.New(t.Context(), database)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	log := slog.New(slog.DiscardHandler)
	credits, err := ledger.New(pool, clock.System(), ledger.Config{Deadline: 20 * time.Second}, prometheus.NewRegistry(), log)
	errtest.None(t, err)
	queue, err := webhook.NewQueue(pool, prometheus.NewRegistry(), log)
	errtest.None(t, err)
	r := &rig{t, pool, credits, cases.New(pool, queue, credits, clock.System(), 20*time.Second)}
	r.run(`INSERT INTO customers (user_id, customer_id, created_at) VALUES ('` + user.String() + `', 'cus_1', now())`)
	r.run(`INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at)
		VALUES ('sub_1', '` + user.String() + `', 'active', 'active', 'pro', 'price_1', '2026-03-01', '2026-04-01', '2026-01-01', now())`)
	return r
}

func (r *rig) run(statement string) {
	r.Helper()
	if _, err := r.pool.Exec(r.Context(), statement); err != nil {
		r.Fatalf("%s: %v", statement, err)
	}
}

// parked is an event about an object that is parked, of a subscription unless that is "".
func (r *rig) parked(id, object, reason, subscription string) {
	r.Helper()
	r.run(`INSERT INTO stripe_events (id, type, object, livemode, created_at, received_at, state, reason, subscription_id)
		VALUES ('` + id + `', 'invoice.paid', '` + object + `', false, now(), now(), 'parked', '` + reason + `', '` + subscription + `')`)
}

func (r *rig) odd(object string) {
	r.Helper()
	r.run(`INSERT INTO odd_cases (object, reason, subscription_id, found_at, seen_at) VALUES ('` + object + `', 'odd_invoice', 'sub_1', now(), now())`)
}

func (r *rig) objects() (list []string) {
	r.Helper()
	found, total, err := r.cases.List(r.Context())
	if err != nil || int(total) != len(found) {
		r.Fatalf("%d of %d cases, %v", len(found), total, err)
	}
	for _, c := range found {
		list = append(list, c.Object)
	}
	slices.Sort(list)
	return list
}

func (r *rig) decide(o cases.Order) (isNew bool, events []string, err error) {
	o.Reason = "because"
	return r.cases.Decide(audittest.As(r.Context()), o)
}

func TestACaseIsOneHoweverOftenItIsMet(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "in_1", "odd_invoice", "sub_1")
	r.parked("evt_2", "in_1", "odd_invoice", "sub_1")
	r.odd("in_1")
	r.parked("evt_3", "cs_1", "no_subscription", "")
	list, total, err := r.cases.List(t.Context())
	if err != nil || total != 2 || len(list) != 2 {
		t.Fatalf("%v of %d, %v", list, total, err)
	}
	at := slices.IndexFunc(list, func(c cases.Case) bool { return c.Object == "in_1" })
	if c := list[at]; c.Events != 2 || c.UserID != user || c.Reason != "odd_invoice" || c.SubscriptionID != "sub_1" {
		t.Errorf("%+v", c)
	}
	if c := list[1-at]; c.Events != 1 || c.UserID != uuid.Nil {
		t.Errorf("%+v", c)
	}
}

func TestADecisionClosesACaseForGood(t *testing.T) {
	t.Parallel()
	for _, decision := range []cases.Decision{cases.Accept, cases.Grant, cases.Ignore} {
		r := newRig(t)
		r.parked("evt_1", "in_1", "odd_invoice", "sub_1")
		r.odd("in_1")
		order := cases.Order{Object: "in_1", Decision: decision}
		if decision == cases.Grant {
			order.Credits = 2500
		}
		isNew, events, err := r.decide(order)
		if err != nil || !isNew || !slices.Equal(events, []string{"evt_1"}) {
			t.Fatalf("%s: %v, %v, %v", decision, isNew, events, err)
		}
		if list := r.objects(); len(list) != 0 {
			t.Errorf("%s: %v still wait", decision, list)
		}
		if isNew, _, err := r.decide(order); err != nil || isNew {
			t.Errorf("%s again: %v, %v", decision, isNew, err)
		}
		other := cases.Accept
		if decision == cases.Accept {
			other = cases.Ignore
		}
		if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: other}); !errors.Is(err, cases.ErrDecided) {
			t.Errorf("%s after %s: %v", other, decision, err)
		}
		credits, _, err := r.ledger.Credits(t.Context(), user)
		if err != nil || credits.Balance != order.Credits {
			t.Errorf("%s: %d credits, %v", decision, credits.Balance, err)
		}
		// What is parked again about it, such as by an older version, waits for nobody.
		r.run(`UPDATE stripe_events SET state = 'parked', reason = 'odd_invoice'`)
		r.odd("in_1")
		if list := r.objects(); len(list) != 0 {
			t.Errorf("%s: %v wait again", decision, list)
		}
	}
}

// TestADecisionIsAboutWhatWasWrong: what is wrong with the same object for another reason is a case again, which is
// decided by itself, and gives no credits twice.
func TestADecisionIsAboutWhatWasWrong(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "in_1", "unknown_price", "sub_1")
	if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Grant, Credits: 100}); err != nil {
		t.Fatal(err)
	}
	r.parked("evt_2", "in_1", "odd_quantity", "sub_1")
	if list, total, err := r.cases.List(t.Context()); err != nil || total != 1 || len(list) != 1 || list[0].Object != "in_1" {
		t.Fatalf("%v of %d wait, %v", list, total, err)
	}
	if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Grant, Credits: 100, Seen: "odd_quantity"}); !errors.Is(err, cases.ErrGiven) {
		t.Errorf("credits once more: %v", err)
	}
	if isNew, events, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Accept, Seen: "odd_quantity"}); err != nil || !isNew || !slices.Equal(events, []string{"evt_2"}) || len(r.objects()) != 0 {
		t.Errorf("accepted: %t, %v, %v; %v wait", isNew, events, err, r.objects())
	}
}

// TestADecisionIsAboutWhatWasShown: of two reasons for one object, only the older one is shown and decided about, however
// the other is called, and then the other is a case.
func TestADecisionIsAboutWhatWasShown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "in_1", "unknown_price", "sub_1")
	r.parked("evt_2", "in_1", "odd_quantity", "sub_1")
	for _, reason := range []string{"unknown_price", "odd_quantity"} {
		list, total, err := r.cases.List(t.Context())
		if err != nil || total != 1 || len(list) != 1 || list[0].Reason != reason {
			t.Fatalf("%v of %d wait, %v; want %s", list, total, err, reason)
		}
		if isNew, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Accept, Seen: reason}); err != nil || !isNew {
			t.Fatalf("%s: %t, %v", reason, isNew, err)
		}
		r.run(`UPDATE stripe_events SET state = 'parked', reason = CASE id WHEN 'evt_1' THEN 'unknown_price' ELSE 'odd_quantity' END`)
	}
	if list := r.objects(); len(list) != 0 {
		t.Errorf("%v still wait", list)
	}
}

// TestWhoDecidesHasSeenTheReason: a decision about a reason that the case no longer has, or not yet, changes nothing.
func TestWhoDecidesHasSeenTheReason(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "in_1", "unknown_price", "sub_1")
	for decision := range map[cases.Decision]bool{cases.Accept: true, cases.Retry: true} {
		if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: decision, Seen: "odd_invoice"}); !errors.Is(err, cases.ErrChanged) {
			t.Errorf("%s: %v", decision, err)
		}
	}
	if list, recorded := r.objects(), audittest.Actions(t, r.pool); !slices.Equal(list, []string{"in_1"}) || len(recorded) != 0 {
		t.Errorf("%v wait; recorded %v", list, recorded)
	}
	if isNew, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Accept, Seen: "unknown_price"}); err != nil || !isNew {
		t.Errorf("what was seen: %t, %v", isNew, err)
	}
}

// TestACaseIsAsOldAsItsReason: it is not as old as an earlier reason of the same object, nor made new by a decision about
// another one.
func TestACaseIsAsOldAsItsReason(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	found := func(reason string, days int) {
		t.Helper()
		errtest.None(t, db.New().PutOddCase(t.Context(), r.pool, db.PutOddCaseParams{Object: "in_1", Reason: reason, SubscriptionID: "sub_1", Now: first.AddDate(0, 0, days)}))
	}
	is := func(reason string, days int) {
		t.Helper()
		list, _, err := r.cases.List(t.Context())
		if err != nil || len(list) != 1 || list[0].Reason != reason || !list[0].Since.Equal(first.AddDate(0, 0, days)) {
			t.Errorf("%+v, %v; want %s since day %d", list, err, reason, days)
		}
	}
	found("odd_invoice", 0)
	found("odd_invoice", 1)
	is("odd_invoice", 0)
	found("odd_quantity", 2)
	found("odd_quantity", 3)
	is("odd_quantity", 2)
	r.parked("evt_1", "in_1", "unknown_price", "sub_1")
	r.run(`UPDATE stripe_events SET received_at = '2026-02-01'`)
	if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Accept, Seen: "unknown_price"}); err != nil {
		t.Fatal(err)
	}
	is("odd_quantity", 2)
}

func TestADecisionIsRecorded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "in_1", "odd_invoice", "sub_1")
	if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Grant, Credits: 1250}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range audittest.Actions(t, r.pool) {
		got = append(got, a.GetAction()+" "+a.GetSubject()+" "+a.GetReason()+" "+a.GetAfter())
	}
	want := []string{
		`credits.adjusted ` + user.String() + ` because {"balance":"12.50"}`,
		`billing_case.granted in_1 because {"account":"` + user.String() + `","credits":"12.50"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

// TestCreditsAreOfferedWhereTheyCanBeGiven: what is offered is not refused, and what is not offered is.
func TestCreditsAreOfferedWhereTheyCanBeGiven(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	erased := "00000000-0000-4000-8000-000000000002"
	r.run(`INSERT INTO account_states (user_id, state, since) VALUES ('` + erased + `', 'erased', now())`)
	r.run(`INSERT INTO customers (user_id, customer_id, created_at) VALUES ('` + erased + `', 'cus_2', now())`)
	r.run(`INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at)
		SELECT 'sub_2', '` + erased + `', stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at FROM subscriptions`)
	err := pgx.BeginFunc(t.Context(), r.pool, func(tx pgx.Tx) error {
		_, err := r.ledger.Close(t.Context(), tx, uuid.MustParse(erased))
		return err
	})
	errtest.None(t, err)
	given := r.granted("in_5")
	want := map[string]bool{"in_1": true, "in_2": false, "in_3": false, "sub_1": false, given: false}
	r.parked("evt_1", "in_1", "odd_invoice", "sub_1")
	r.parked("evt_2", "in_2", "odd_invoice", "")
	r.parked("evt_3", "in_3", "odd_invoice", "sub_2")
	r.parked("evt_4", "sub_1", "odd_subscription", "sub_1")
	r.parked("evt_5", given, "odd_quantity", "sub_1")
	list, _, err := r.cases.List(t.Context())
	if err != nil || len(list) != len(want) {
		t.Fatalf("%v, %v", list, err)
	}
	for _, c := range list {
		if c.Grantable != want[c.Object] {
			t.Errorf("%s: %t", c.Object, c.Grantable)
		}
		if _, _, err := r.decide(cases.Order{Object: c.Object, Decision: cases.Grant, Credits: 100, Seen: c.Reason}); (err == nil) != c.Grantable {
			t.Errorf("%s: %v", c.Object, err)
		}
	}
}

// granted is a case of an object for which credits were given.
func (r *rig) granted(object string) string {
	r.Helper()
	r.parked("evt_of_"+object, object, "odd_invoice", "sub_1")
	if _, _, err := r.decide(cases.Order{Object: object, Decision: cases.Grant, Credits: 100}); err != nil {
		r.Fatal(err)
	}
	return object
}

func TestACaseIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "in_1", "unknown_price", "sub_1")
	isNew, events, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Retry})
	if err != nil || !isNew || !slices.Equal(events, []string{"evt_1"}) || len(r.objects()) != 0 {
		t.Fatalf("%v, %v, %v", isNew, events, err)
	}
	r.run(`UPDATE stripe_events SET state = 'parked', reason = 'unknown_price'`)
	if list := r.objects(); !slices.Equal(list, []string{"in_1"}) {
		t.Errorf("parked again, and %v wait", list)
	}
}

func TestWhatCannotBeDecided(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "cs_1", "no_subscription", "")
	if _, _, err := r.decide(cases.Order{Object: "in_9", Decision: cases.Accept}); !errors.Is(err, cases.ErrUnknown) {
		t.Errorf("what nobody has heard of: %v", err)
	}
	r.parked("evt_2", "in_1", "odd_invoice", "sub_9")
	r.parked("evt_3", "sub_1", "odd_subscription", "sub_1")
	if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Grant, Credits: 100}); !errors.Is(err, cases.ErrNobody) {
		t.Errorf("credits for nobody: %v", err)
	}
	r.parked("evt_4", "in_2", "not_finalized", "sub_1")
	for _, object := range []string{"cs_1", "sub_1", "in_2"} {
		if _, _, err := r.decide(cases.Order{Object: object, Decision: cases.Grant, Credits: 100}); !errors.Is(err, cases.ErrNoPayment) {
			t.Errorf("credits that no money takes back, for %s: %v", object, err)
		}
	}
	if list := r.objects(); !slices.Equal(list, []string{"cs_1", "in_1", "in_2", "sub_1"}) {
		t.Errorf("after refusals %v wait", list)
	}
	if recorded := audittest.Actions(t, r.pool); len(recorded) != 0 {
		t.Errorf("recorded %v", recorded)
	}
}
