package billing_test

import (
	"context"
	"testing"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

// TestTheFirstRequestOfAMonthBringsWhatIsFree, whichever it is and however many
// replicas there are.
func TestTheFirstRequestOfAMonthBringsWhatIsFree(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.environ["FREE_MONTHLY_CREDITS"] = "5"
	instances := []instance{r.serve(), r.serve()}
	for name, first := range map[string]func(context.Context, instance) error{
		"looking": func(ctx context.Context, s instance) error {
			_, err := s.GetCredits(ctx, &billingv1.GetCreditsRequest{})
			return err
		},
		"the history": func(ctx context.Context, s instance) error {
			_, err := s.ListCreditEntries(ctx, &billingv1.ListCreditEntriesRequest{})
			return err
		},
		"spending": func(ctx context.Context, s instance) error {
			_, err := s.ConsumeCredits(ctx, consume("k", 120))
			return err
		},
		"setting aside": func(ctx context.Context, s instance) error {
			_, err := s.HoldCredits(ctx, &billingv1.HoldCreditsRequest{Amount: 120, Description: "x", IdempotencyKey: "k"})
			return err
		},
	} {
		id, token := r.issuer.User("free@example.com")
		ctx := r.as(token)
		for _, s := range instances {
			if err := first(ctx, s); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		got, err := instances[0].GetCredits(ctx, &billingv1.GetCreditsRequest{})
		if err != nil || got.GetCredits().GetGranted() != 500 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if n := r.count("SELECT count(*) FROM credit_grants WHERE user_id = $1 AND series = 'free/' || user_id", id); n != 1 {
			t.Errorf("%s: %d grants", name, n)
		}
	}
}
