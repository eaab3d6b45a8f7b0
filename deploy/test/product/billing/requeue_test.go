package billing

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/billing"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

// TestParkedEventsAreAppliedOnceTheirReasonIsGone parks the events of a customer
// that nobody knows, makes it known and requeues them as an operator would.
func TestParkedEventsAreAppliedOnceTheirReasonIsGone(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	customer, err := r.client().V1Customers.Create(t.Context(), &sdk.CustomerCreateParams{Email: sdk.String("somebody@fledge.test")})
	r.must(err)
	_, err = r.stripe.Subscribe(t.Context(), customer.ID, stripe.ProPrice, 1, stripe.CardWorks)
	r.must(err)
	r.settled()
	parked := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked' AND reason = 'unknown_customer'`)
	if parked == 0 {
		t.Fatal("nothing was parked")
	}
	_, err = r.pool.Exec(t.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, $2, now())`, p.id, customer.ID)
	r.must(err)
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := billing.Commands()[0].Run(t.Context(), service.Call{
			Args: args, Environ: r.environ, Out: &out,
			Runtime: service.NewRuntime("billing", "dev", obs.NewLogger(&bytes.Buffer{}, "billing", slog.LevelError)),
		})
		return out.String(), err
	}
	for _, args := range [][]string{{}, {"reason"}, {"all", "evt_1"}} {
		if _, err := run(args...); err == nil {
			t.Errorf("%q makes sense", args)
		}
	}
	if out, err := run("reason", "unknown_price"); err != nil || out != "" {
		t.Errorf("another reason: %q, %v", out, err)
	}
	out, err := run("reason", "unknown_customer")
	if n := strings.Count(out, "evt_"); err != nil || n != parked {
		t.Errorf("%d of %d requeued, %v", n, parked, err)
	}
	p.is("active", "pro", 5000)
	r.settled()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d are parked still", n)
	}
}
