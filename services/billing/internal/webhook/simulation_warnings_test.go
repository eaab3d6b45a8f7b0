package webhook

import (
	"context"
	"fmt"
	"slices"

	"fledge.dev/services/billing/internal/stripe"
)

// warn has the issuer of a card suspect a payment, or all of one that is suspected refunded.
func (s *simStripe) warn(sub *sold) {
	for _, w := range sub.warnings {
		if w.Actionable {
			s.goesBack(sub, w)
			return
		}
	}
	charge, ok := s.whole(sub)
	if !ok {
		return
	}
	disputed := slices.ContainsFunc(sub.disputes, func(d stripe.Dispute) bool { return d.ChargeID == charge.ID })
	if !disputed && refunded(charge) < charge.Amount {
		w := &stripe.FraudWarning{ID: s.id("issfr"), ChargeID: charge.ID, Actionable: true}
		sub.warnings = append(sub.warnings, w)
		sub.withdrawals["warning/"+w.ID] = true
		s.note("people", "a warning")
		s.tell("radar.early_fraud_warning.created", w.ID)
	}
}

// goesBack has all of a payment that is suspected refunded.
func (s *simStripe) goesBack(sub *sold, w *stripe.FraudWarning) {
	charge := sub.chargeWith(w.ChargeID)
	s.refundOf(sub, charge, charge.Amount-refunded(charge))
}

// clear settles most of the warnings that somebody has to act upon.
func (s *simStripe) clear() {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, sub := range s.subs {
		for _, w := range sub.warnings {
			switch {
			case !w.Actionable || s.rng.IntN(4) == 0:
			case s.rng.IntN(2) == 0:
				s.goesBack(sub, w)
			default:
				s.disputeOf(sub, sub.chargeWith(w.ChargeID))
			}
		}
	}
}

func (s *sold) chargeWith(id string) *stripe.Charge {
	for _, charge := range s.charges {
		if charge.ID == id {
			return charge
		}
	}
	return nil
}

// refunded is what of a charge went back for good, so far.
func refunded(charge *stripe.Charge) (sum int64) {
	for _, r := range charge.Refunds {
		if r.Status == "succeeded" {
			sum += r.Amount
		}
	}
	return sum
}

// settle has nobody act upon the warnings of a charge any more. Not every endpoint is told.
func (s *simStripe) settle(sub *sold, charge string) {
	for _, w := range sub.warnings {
		if w.ChargeID != charge || !w.Actionable {
			continue
		}
		w.Actionable = false
		delete(sub.withdrawals, "warning/"+w.ID)
		s.note("people", "a warning is settled")
		if s.rng.IntN(2) == 0 {
			s.tell("radar.early_fraud_warning.updated", w.ID)
		}
	}
}

func (c client) DisputesOf(_ context.Context, charge string) ([]stripe.Dispute, error) {
	return ask(c, "disputes of a charge", func(s *sold) (list []stripe.Dispute, ok bool) {
		for _, d := range s.disputes {
			if d.ChargeID == charge {
				list = append(list, d)
			}
		}
		return list, s.charged(charge)
	})
}

func (c client) FraudWarning(_ context.Context, id string) (stripe.FraudWarning, error) {
	return ask(c, "a warning", func(s *sold) (stripe.FraudWarning, bool) {
		i := slices.IndexFunc(s.warnings, func(w *stripe.FraudWarning) bool { return w.ID == id })
		if i < 0 {
			return stripe.FraudWarning{}, false
		}
		return *s.warnings[i], true
	})
}

// warningsUnsettled says how the warnings that wait for a decision differ from those that somebody has to act upon.
func (s *simulation) warningsUnsettled() error {
	var ids []string
	for _, sub := range s.subs {
		for _, w := range sub.warnings {
			if w.Actionable {
				ids = append(ids, w.ID)
			}
		}
	}
	var waiting []string
	err := s.admin.QueryRow(s.Context(), "SELECT coalesce(array_agg(DISTINCT object), '{}') FROM stripe_events WHERE state = 'parked' AND reason = 'fraud_warning'").Scan(&waiting)
	slices.Sort(ids)
	slices.Sort(waiting)
	if err == nil && !slices.Equal(ids, waiting) {
		err = fmt.Errorf("warnings %v wait, and %v are to be acted upon", waiting, ids)
	}
	return err
}
