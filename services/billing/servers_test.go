package billing_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// TestAServerSpendsForPeople with a token of its own, for whom it names and for nobody else.
func TestAServerSpendsForPeople(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	server := r.as(r.issuer.Server("builder"))
	user, own := r.funded(1000)
	spend := consume("a", 100)
	if _, err := s.ConsumeCredits(server, spend); !errors.Is(err, fault.Invalid) {
		t.Errorf("for nobody: %v", err)
	}
	spend.UserId = "7"
	if _, err := s.ConsumeCredits(server, spend); !errors.Is(err, fault.Invalid) {
		t.Errorf("for what is no account: %v", err)
	}
	spend.UserId = uuid.NewString()
	if _, err := s.ConsumeCredits(server, spend); !errors.Is(err, fault.Conflict) {
		t.Errorf("for somebody without credits: %v", err)
	}
	spend.UserId = user.String()
	for range 2 { // the second is a repetition
		if resp, err := s.ConsumeCredits(server, spend); err != nil || resp.GetCredits().GetBalance() != 900 {
			t.Fatalf("%v, %v", resp, err)
		}
	}
	held, err := s.HoldCredits(server, &billingv1.HoldCreditsRequest{UserId: user.String(), Amount: 500, Description: "New app", IdempotencyKey: "b"})
	errtest.None(t, err)
	stranger, _ := r.funded(1000)
	if _, err := s.SettleCredits(server, &billingv1.SettleCreditsRequest{UserId: stranger.String(), HoldId: held.GetHoldId(), Amount: 1}); !errors.Is(err, fault.NotFound) {
		t.Errorf("another's hold: %v", err)
	}
	if resp, err := s.SettleCredits(server, &billingv1.SettleCreditsRequest{UserId: user.String(), HoldId: held.GetHoldId(), Amount: 300}); err != nil || resp.GetCredits().GetBalance() != 600 {
		t.Errorf("%v, %v", resp, err)
	}

	// A person pays for themselves.
	theirs := consume("c", 100)
	theirs.UserId = stranger.String()
	if _, err := s.ConsumeCredits(own, theirs); !errors.Is(err, fault.Forbidden) {
		t.Errorf("a person for another: %v", err)
	}
	theirs.UserId = user.String()
	if resp, err := s.ConsumeCredits(own, theirs); err != nil || resp.GetCredits().GetBalance() != 500 {
		t.Errorf("a person who names themselves: %v, %v", resp, err)
	}
	if _, err := s.GetCredits(server, &billingv1.GetCreditsRequest{}); !errors.Is(err, fault.Forbidden) {
		t.Errorf("a server that reads: %v", err)
	}

	if _, err := r.pool.Exec(t.Context(), `INSERT INTO account_states (user_id, state, since) VALUES ($1, 'disabled', now())`, user); err != nil {
		t.Fatal(err)
	}
	spend.IdempotencyKey = "d"
	if _, err := s.ConsumeCredits(server, spend); !errors.Is(err, fault.Forbidden) {
		t.Errorf("for a disabled account: %v", err)
	}
}

// TestSpendingCanBeLeftToServers, so that no app says what its own work has cost.
func TestSpendingCanBeLeftToServers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.environ["APPS_SPEND"] = "false"
	s := r.serve()
	user, own := r.funded(1000)
	if _, err := s.ConsumeCredits(own, consume("a", 100)); fault.Of(err).Reason != "spent_by_servers" {
		t.Errorf("an app: %v", err)
	}
	if _, err := s.HoldCredits(own, &billingv1.HoldCreditsRequest{Amount: 1, Description: "x", IdempotencyKey: "h"}); fault.Of(err).Reason != "spent_by_servers" {
		t.Errorf("an app: %v", err)
	}
	spend := consume("a", 100)
	spend.UserId = user.String()
	if resp, err := s.ConsumeCredits(r.as(r.issuer.Server("builder")), spend); err != nil || resp.GetCredits().GetBalance() != 900 {
		t.Errorf("%v, %v", resp, err)
	}
}
