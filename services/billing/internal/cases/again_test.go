package cases_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/cases"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/waittest"
)

// TestARepeatedDecisionClosesNothingElse: a call whose answer was lost is made again, and meets the same object with
// another reason.
func TestARepeatedDecisionClosesNothingElse(t *testing.T) {
	t.Parallel()
	for _, seen := range []string{"unknown_price", ""} {
		for _, decision := range []cases.Decision{cases.Accept, cases.Ignore, cases.Grant} {
			r := newRig(t)
			r.parked("evt_1", "in_1", "unknown_price", "sub_1")
			order := cases.Order{Object: "in_1", Decision: decision, Seen: seen}
			if decision == cases.Grant {
				order.Credits = 2500
			}
			if isNew, _, err := r.decide(order); err != nil || !isNew {
				t.Fatalf("%s: %t, %v", decision, isNew, err)
			}
			recorded := len(audittest.Actions(t, r.pool))
			r.parked("evt_2", "in_1", "odd_quantity", "sub_1")
			if isNew, events, err := r.decide(order); err != nil || isNew || len(events) > 0 {
				t.Errorf("%s again, after %q was seen: %t, %v, %v", decision, seen, isNew, events, err)
			}
			if list, n := r.objects(), len(audittest.Actions(t, r.pool)); !slices.Equal(list, []string{"in_1"}) || n != recorded {
				t.Errorf("%s again, after %q was seen: %v wait, recorded %d, %d before", decision, seen, list, n, recorded)
			}
			other := map[bool]cases.Decision{true: cases.Ignore, false: cases.Accept}[decision == cases.Accept]
			if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: other}); !errors.Is(err, cases.ErrChanged) {
				t.Errorf("%s of what nobody names: %v", other, err)
			}
			if isNew, _, err := r.decide(cases.Order{Object: "in_1", Decision: other, Seen: "odd_quantity"}); err != nil || !isNew {
				t.Errorf("%s of what was seen: %t, %v", other, isNew, err)
			}
		}
	}
}

// TestEachCauseHasItsDecision: a late repeat of one succeeds, whatever was decided about another cause since.
func TestEachCauseHasItsDecision(t *testing.T) {
	t.Parallel()
	for _, first := range []cases.Order{
		{Object: "in_1", Decision: cases.Accept, Seen: "unknown_price"}, {Object: "in_1", Decision: cases.Accept},
		{Object: "in_1", Decision: cases.Grant, Credits: 2500, Seen: "unknown_price"}, {Object: "in_1", Decision: cases.Grant, Credits: 2500},
	} {
		r := newRig(t)
		second := cases.Order{Object: "in_1", Decision: cases.Ignore, Seen: "odd_quantity"}
		for i, o := range []cases.Order{first, second} {
			r.parked([]string{"evt_1", "evt_2"}[i], "in_1", []string{"unknown_price", "odd_quantity"}[i], "sub_1")
			if isNew, _, err := r.decide(o); err != nil || !isNew {
				t.Fatalf("%+v: %t, %v", o, isNew, err)
			}
		}
		recorded := len(audittest.Actions(t, r.pool))
		for _, o := range []cases.Order{first, second} {
			if isNew, events, err := r.decide(o); err != nil || isNew || len(events) > 0 {
				t.Errorf("%+v again: %t, %v, %v", o, isNew, events, err)
			}
		}
		if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Ignore, Seen: "unknown_price"}); !errors.Is(err, cases.ErrDecided) {
			t.Errorf("the second decision about the first cause: %v", err)
		}
		if n := len(audittest.Actions(t, r.pool)); n != recorded {
			t.Errorf("recorded %d, %d before", n, recorded)
		}
	}
}

// TestADecisionOfAnEarlierVersion has no causes of its own, or the last decision only.
func TestADecisionOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	for _, causes := range []string{"NULL", "'{unknown_price}'"} {
		r := newRig(t)
		r.run(`INSERT INTO accepted_cases (object, causes, decision, reason, accepted_at) VALUES ('in_1', ` + causes + `, 'accept', 'because', now())`)
		again := func() {
			t.Helper()
			for decision, want := range map[cases.Decision]error{cases.Accept: nil, cases.Ignore: cases.ErrDecided} {
				if isNew, _, err := r.decide(cases.Order{Object: "in_1", Decision: decision, Seen: "unknown_price"}); isNew || !errors.Is(err, want) {
					t.Errorf("causes %s, %s: %t, %v", causes, decision, isNew, err)
				}
			}
		}
		again()
		r.parked("evt_1", "in_1", "odd_quantity", "sub_1")
		if isNew, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Ignore, Seen: "odd_quantity"}); causes != "NULL" && (err != nil || !isNew) {
			t.Errorf("another cause: %t, %v", isNew, err)
		}
		again()
	}
}

// TestAnotherAmountIsNotARepeat: what was given stays, and whoever asks for another amount is told.
func TestAnotherAmountIsNotARepeat(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "in_1", "odd_invoice", "sub_1")
	for _, tc := range []struct {
		credits int64
		want    error
	}{{2500, nil}, {5000, cases.ErrGiven}, {2500, nil}} {
		for _, seen := range []string{"odd_invoice", ""} {
			if _, _, err := r.decide(cases.Order{Object: "in_1", Decision: cases.Grant, Credits: tc.credits, Seen: seen}); !errors.Is(err, tc.want) {
				t.Errorf("%d: %v", tc.credits, err)
			}
		}
	}
	if credits, _, err := r.ledger.Credits(t.Context(), user); err != nil || credits.Balance != 2500 {
		t.Errorf("%d credits, %v", credits.Balance, err)
	}
}

// TestADecisionThatMeetsItselfSucceeds: it is made again while the first call commits.
func TestADecisionThatMeetsItselfSucceeds(t *testing.T) {
	t.Parallel()
	for first, want := range map[cases.Decision]error{cases.Accept: nil, cases.Ignore: cases.ErrDecided} {
		r := newRig(t)
		r.parked("evt_1", "in_1", "unknown_price", "sub_1")
		var isNew bool
		done := make(chan error, 1)
		err := pgx.BeginFunc(t.Context(), r.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `INSERT INTO accepted_cases (object, causes, decision, reason, accepted_at) VALUES ('in_1', '{unknown_price}', $1, 'because', now())`, string(first)); err != nil {
				return err
			}
			go func() {
				var err error
				isNew, _, err = r.decide(cases.Order{Object: "in_1", Decision: cases.Accept, Seen: "unknown_price"})
				done <- err
			}()
			waittest.Eventually(t, "the second call waits for the first", func() (waits bool) {
				if err := r.pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%DecideCase%')`).Scan(&waits); err != nil {
					t.Error(err)
				}
				return waits
			})
			return nil
		})
		if second := <-done; err != nil || !errors.Is(second, want) || isNew {
			t.Errorf("after %s: %v, %t, %v; want %v", first, err, isNew, second, want)
		}
	}
}

// TestARepeatedRetrySucceeds, although nothing waits any more.
func TestARepeatedRetrySucceeds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.parked("evt_1", "in_1", "unknown_price", "sub_1")
	order := cases.Order{Object: "in_1", Decision: cases.Retry, Seen: "unknown_price"}
	for _, want := range []bool{true, false} {
		if isNew, _, err := r.decide(order); err != nil || isNew != want {
			t.Errorf("%t, %v; want %t", isNew, err, want)
		}
	}
}
