package setup_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/billing/internal/setup"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"

	"fledge.dev/services/platform/pgtest"
)

// account is one at Stripe that is as it has to be, until a test changes it.
type account struct {
	setup.Stripe
	account  stripe.Account
	product  stripe.Product
	price    stripe.Price
	portal   stripe.Portal
	endpoint stripe.Endpoint
	// former are endpoints that come before it.
	former []stripe.Endpoint
	tax    stripe.TaxSettings
	// fails are errors by what is asked for.
	fails map[string]error
	// elsewhere says that the key is of another account.
	elsewhere error
	made      int
	// asked are the settings of the portal that was asked for last.
	asked stripe.PortalSettings
}

func (a *account) Account(context.Context) (stripe.Account, error) {
	return a.account, a.fails["account"]
}

func (a *account) Product(context.Context, string) (stripe.Product, error) {
	return a.product, a.fails["product"]
}

func (a *account) Price(context.Context, string) (stripe.Price, error) {
	return a.price, a.fails["price"]
}

func (a *account) Portal(_ context.Context, s stripe.PortalSettings, _ time.Time) (stripe.Portal, error) {
	a.made++
	a.asked = s
	return a.portal, a.fails["portal"]
}

func (a *account) Endpoints(context.Context) ([]stripe.Endpoint, error) {
	return append(append(a.former, stripe.Endpoint{URL: "https://else.example/hook", Enabled: true}), a.endpoint), a.fails["endpoints"]
}

func (a *account) TaxSettings(context.Context) (stripe.TaxSettings, error) {
	return a.tax, a.fails["tax"]
}

func (a *account) Confirm(context.Context) (bool, error) { return a.elsewhere == nil, a.elsewhere }

func right() *account {
	return &account{
		account: stripe.Account{ID: "acct_1", Charges: true}, product: stripe.Product{Active: true},
		portal:   stripe.Portal{ID: "bpc_1", InvoicesAtOnce: true, DefersDowngrades: true, DefersShorter: true, OffersAll: true, CancelsAtEnd: true, ChangesCards: true, SignIn: "https://billing.example/p/login/1"},
		endpoint: stripe.Endpoint{URL: "https://fledge.example/api/stripe-webhook", Enabled: true, Events: []string{"invoice.paid", "refund.failed"}},
		tax:      stripe.TaxSettings{Active: true, Behavior: "exclusive"},
		fails:    map[string]error{},
	}
}

// TestEachDifferenceIsASentence, and nothing is said of an account that fits.
func TestEachDifferenceIsASentence(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	for price, plan := range map[string]string{"price_agreed": "enterprise", "price_pro": "pro"} { // the latter is offered, too
		errtest.None(t, catalog(pool).Agree(t.Context(), price, plan, 200000, time.Now()))
	}
	away := fault.New(fault.Unavailable, "stripe_unavailable", "Away.")
	for name, tc := range map[string]struct {
		change func(*account)
		// says are parts of the sentences.
		says []string
		err  error
	}{
		"all fits":           {func(*account) {}, nil, nil},
		"every event":        {func(a *account) { a.endpoint.Events = []string{"*"} }, nil, nil},
		"not activated":      {func(a *account) { a.account.Charges = false }, []string{"activation"}, nil},
		"another account":    {func(a *account) { a.elsewhere = stripe.Refused.Wrap(fmt.Errorf("%w: acct_2", stripe.ErrElsewhere)) }, []string{"acct_2"}, nil},
		"no product":         {func(a *account) { a.fails["product"] = stripe.ErrGone }, []string{"no product prod_pro"}, nil},
		"several currencies": {func(a *account) { a.price.Others = []string{"eur", "gbp"} }, []string{"price_pro has amounts in eur, gbp", "price_agreed has amounts"}, nil},
		"prorations later":   {func(a *account) { a.portal.InvoicesAtOnce = false }, []string{"invoice"}, nil},
		"downgrades at once": {func(a *account) { a.portal.DefersDowngrades = false }, []string{"cheaper"}, nil},
		"shorter at once":    {func(a *account) { a.portal.DefersShorter = false }, []string{"shorter interval"}, nil},
		"offers another":     {func(a *account) { a.portal.OffersAll = false }, []string{"other products or prices"}, nil},
		"ends at once":       {func(a *account) { a.portal.CancelsAtEnd = false }, []string{"cancel"}, nil},
		"always that card":   {func(a *account) { a.portal.ChangesCards = false }, []string{"another card"}, nil},
		"no way in":          {func(a *account) { a.portal.SignIn = "" }, []string{"ask for a link"}, nil},
		"taxes unclear":      {func(a *account) { a.tax.Behavior, a.price.ID = "", "price_pro" }, []string{"whether price_pro includes taxes"}, nil},
		"taxes included":     {func(a *account) { a.tax.Behavior, a.price.ID, a.price.TaxKnown = "", "price_pro", true }, nil, nil},
		"no endpoint":        {func(a *account) { a.endpoint.URL = "https://staging.example/api/stripe-webhook" }, []string{"No webhook endpoint"}, nil},
		"disabled endpoint":  {func(a *account) { a.endpoint.Enabled = false }, []string{"disabled"}, nil},
		"a former endpoint":  {func(a *account) { a.former = []stripe.Endpoint{{URL: a.endpoint.URL}} }, nil, nil},
		"two endpoints": {func(a *account) {
			a.former = []stripe.Endpoint{{URL: a.endpoint.URL, Enabled: true, Events: a.endpoint.Events[:1]}}
			a.endpoint.Events = a.endpoint.Events[1:]
		}, nil, nil},
		"two, and a missing event": {func(a *account) {
			a.former = []stripe.Endpoint{a.endpoint}
			a.former[0].Enabled, a.endpoint.Events = false, a.endpoint.Events[:1]
		}, []string{"does not get refund.failed."}, nil},
		"a missing event": {func(a *account) { a.endpoint.Events = a.endpoint.Events[:1] }, []string{"does not get refund.failed."}, nil},
		"no tax settings": {func(a *account) { a.tax = stripe.TaxSettings{Missing: []string{"head_office"}} }, []string{"STRIPE_AUTOMATIC_TAX: head_office is missing."}, nil},
		"a narrow key": {func(a *account) {
			for _, call := range []string{"account", "product", "price", "portal", "endpoints", "tax"} {
				a.fails[call] = stripe.Refused.Wrap(stripe.ErrRefused)
			}
		}, []string{"read its account", "read products", "refuses to make", "read webhook", "Stripe Tax"}, nil},
		"an outage": {func(a *account) { a.fails["endpoints"] = away }, nil, away},
	} {
		a := right()
		tc.change(a)
		metrics := prometheus.NewRegistry()
		c, err := setup.New(a, a, catalog(pool), clock.System(), setup.Config{Origin: "https://fledge.example", Events: []string{"invoice.paid", "refund.failed"}, Tax: true, Every: time.Hour},
			slog.New(slog.DiscardHandler), metrics)
		errtest.None(t, err)
		said, err := c.Account(t.Context())
		if !errors.Is(err, tc.err) || len(said) != len(tc.says) {
			t.Errorf("%s: %q, %v", name, said, err)
			continue
		}
		for i, part := range tc.says {
			if !strings.Contains(said[i], part) || strings.Count(said[i], ". ") > 0 || !strings.HasSuffix(said[i], ".") {
				t.Errorf("%s: %q, want one sentence about %q", name, said[i], part)
			}
		}
		n, err := testutil.GatherAndCount(metrics, "billing_setup_differences")
		if gauge := testutil.ToFloat64(gauge{metrics}); err != nil || n != 1 || tc.err == nil && gauge != float64(len(tc.says)) {
			t.Errorf("%s: the gauge is %v", name, gauge)
		}
	}
}

// gauge is billing_setup_differences of a registry.
type gauge struct{ *prometheus.Registry }

func (g gauge) Collect(metrics chan<- prometheus.Metric) {
	families, _ := g.Gather()
	for _, f := range families {
		if f.GetName() == "billing_setup_differences" {
			metrics <- prometheus.MustNewConstMetric(prometheus.NewDesc("x", "", nil, nil), prometheus.GaugeValue, f.GetMetric()[0].GetGauge().GetValue())
		}
	}
}

func (gauge) Describe(descs chan<- *prometheus.Desc) {
	descs <- prometheus.NewDesc("x", "", nil, nil)
}

// TestPeopleWaitForOnePortalOnly: it is found once, and one that Stripe does not let us make, or
// fails to, is the account's default. Who has to sign in there is not told to try again where that helps nobody.
func TestPeopleWaitForOnePortalOnly(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	page := right().portal.SignIn
	for _, tc := range []struct {
		page    string
		refusal error
		ids     []string
		made    int
		signIn  error
	}{
		{page, nil, []string{"bpc_1", "bpc_1"}, 1, nil},
		{"", nil, []string{"bpc_1", "bpc_1"}, 1, stripe.Refused},
		{"", stripe.Refused.Wrap(stripe.ErrRefused), []string{"", ""}, 2, stripe.Refused},
		{"", stripe.ErrUnavailable.Wrap(stripe.ErrSpoiled), []string{"", ""}, 2, stripe.ErrUnavailable},
	} {
		a := right()
		a.portal.SignIn = tc.page
		if a.fails["portal"] = tc.refusal; tc.refusal != nil {
			a.portal = stripe.Portal{}
		}
		c, err := setup.New(a, a, catalog(pool), clock.System(), setup.Config{Origin: "https://fledge.example", Every: time.Hour}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		errtest.None(t, err)
		if _, err := c.SignIn(); !errors.Is(err, stripe.ErrUnavailable) {
			t.Errorf("before Stripe has answered: %v", err)
		}
		var ids []string
		for range 2 {
			id, err := c.Portal(t.Context())
			errtest.None(t, err)
			ids = append(ids, id)
		}
		if !slices.Equal(ids, tc.ids) || a.made != tc.made {
			t.Errorf("%v: %q, asked %d times", tc.refusal, ids, a.made)
		}
		if address, err := c.SignIn(); address != tc.page || !errors.Is(err, tc.signIn) {
			t.Errorf("%v: one signs in at %q, %v", tc.refusal, address, err)
		}
	}
}

// TestThePortalOffersWhatIsOnSale: another one is asked for once that changes, and nobody can change plans while nothing
// is.
func TestThePortalOffersWhatIsOnSale(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	a, plans := right(), catalog(pool)
	c, err := setup.New(a, a, plans, clock.System(), setup.Config{Origin: "https://fledge.example", Events: []string{"invoice.paid"}, Every: time.Hour}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	errtest.None(t, err)
	for i, offers := range []int{1, 0, 1} {
		switch offers {
		case 0:
			err = plans.Unfit(t.Context(), "pro", "month")
			// As Stripe has it then.
			a.portal = stripe.Portal{ID: "bpc_2", OffersAll: true, CancelsAtEnd: true, ChangesCards: true, SignIn: "https://billing.example/p/login/2"}
		case 1:
			_, err = plans.Charged(t.Context(), "pro", "month", 2500)
			a.portal = right().portal
		}
		errtest.None(t, err)
		if id, err := c.Portal(t.Context()); err != nil || id != a.portal.ID || a.made != 1+2*i || len(a.asked.Offers) != offers {
			t.Errorf("%d on sale: %s with %v, asked %d times, %v", offers, id, a.asked.Offers, a.made, err)
		}
		if said, err := c.Account(t.Context()); err != nil || len(said) != 0 {
			t.Errorf("%d on sale: %q, %v", offers, said, err)
		}
	}
}
