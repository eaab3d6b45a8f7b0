package subscription

import (
	"context"
	"errors"
	"testing"

	"fledge.dev/services/billing/internal/stripe"
)

type warningStripe struct{ *scripted }

func (warningStripe) FraudWarning(context.Context, string) (stripe.FraudWarning, error) {
	return stripe.FraudWarning{ID: "issfr_1", ChargeID: "ch_1", Actionable: true}, nil
}

// TestAWarningBesideAnotherCase is told as one: a decision about the other would leave the credits held, and nobody to see it.
func TestAWarningBesideAnotherCase(t *testing.T) {
	s := newShop(t)
	s.pays()
	s.apply()
	s.has(5000)
	before := s.api.subscription
	s.api.subscription = func() stripe.Subscription {
		odd := before()
		odd.Items = 2
		return odd
	}
	s.stripe = warningStripe{s.api}
	err := s.Warned(t.Context(), "issfr_1")
	if unfit, ok := errors.AsType[*Unfit](err); !ok || unfit.Reason != FraudWarning || unfit.Object != "issfr_1" {
		t.Errorf("told %v", err)
	}
	s.has(0)
}
