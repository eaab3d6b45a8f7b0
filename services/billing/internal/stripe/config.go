package stripe

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/platform/config"
)

// maxSecrets is how many webhook secrets are valid at a time: the new one and, during a
// rotation, the old one.
const maxSecrets = 2

// maxTrialDays is Stripe's.
const maxTrialDays = 730

// Config says how to reach Stripe. Without a secret key it is a demo.
type Config struct {
	// SecretKey is of the same mode as the publishable key.
	SecretKey config.Secret `env:"STRIPE_SECRET_KEY"`
	// WebhookSecrets are one or, during a rotation, two signing secrets of the
	// webhook endpoint, separated by a comma.
	WebhookSecrets config.Secret `env:"STRIPE_WEBHOOK_SECRETS"`
	// APIURL is where Stripe's API is; empty for Stripe itself. Never with a live key.
	APIURL string `env:"STRIPE_API_URL"`
	// MoveFrom is the account and mode that the database is to let go of, as the failing start
	// names it: acct_1/test. Empty for none; without effect once that is done.
	MoveFrom string `env:"STRIPE_MOVE_FROM"`
	Page     CheckoutPage
	// TrialDays come before the first payment of whoever has never had a plan; 0 for none.
	TrialDays int64 `env:"STRIPE_TRIAL_DAYS"`
}

// CheckoutPage is what Stripe's page of a checkout offers and asks for besides the payment, under
// Stripe's own names; nothing by default.
type CheckoutPage struct {
	// PromotionCodes may be entered.
	PromotionCodes bool `env:"STRIPE_ALLOW_PROMOTION_CODES"`
	// Tax is calculated by Stripe Tax, by the address that is then asked for.
	Tax bool `env:"STRIPE_AUTOMATIC_TAX"`
	// TaxIDs of companies may be entered.
	TaxIDs bool `env:"STRIPE_TAX_ID_COLLECTION"`
	// Terms have to be agreed to: those of the account's public details at Stripe.
	Terms bool `env:"STRIPE_TERMS_OF_SERVICE_CONSENT"`
}

// Demo reports that there is no Stripe: nothing can be bought.
func (c Config) Demo() bool { return c.SecretKey == "" }

// Live reports whether the key moves real money.
func (c Config) Live() bool { return c.mode() == plan.Live }

func (c Config) mode() plan.Mode {
	for _, kind := range []string{"sk_", "rk_"} {
		for _, mode := range []plan.Mode{plan.Test, plan.Live} {
			if prefix := kind + string(mode) + "_"; strings.HasPrefix(c.SecretKey.Reveal(), prefix) {
				return mode
			}
		}
	}
	return plan.Demo
}

// Dashboard is the address of Stripe's dashboard; "" in a demo.
type Dashboard string

// Dashboard is the one of the mode. A stand-in has one page for everything.
func (c Config) Dashboard() Dashboard {
	switch {
	case c.Demo():
		return ""
	case c.APIURL != "":
		return Dashboard(strings.TrimRight(c.APIURL, "/") + "/#")
	case c.Live():
		return "https://dashboard.stripe.com/"
	default:
		return "https://dashboard.stripe.com/test/"
	}
}

// pagesOf are the dashboard's folders by the first letters of an id.
var pagesOf = map[string]string{
	"cus": "customers/", "sub": "subscriptions/", "in": "invoices/", "ch": "payments/", "py": "payments/", "dp": "disputes/", "du": "disputes/",
}

// Of is where the dashboard shows an object; "" in a demo, and for what has no page.
func (d Dashboard) Of(object string) string {
	kind, _, _ := strings.Cut(object, "_")
	page, ok := pagesOf[kind]
	switch {
	case d == "" || !ok:
		return ""
	case strings.HasSuffix(string(d), "#"):
		page = ""
	}
	return string(d) + page + object
}

// Validate checks the keys against each other and against the mode that the
// publishable key has chosen.
func (c Config) Validate(chosen plan.Mode) error {
	var errs []error
	if c.TrialDays < 0 || c.TrialDays > maxTrialDays {
		errs = append(errs, fmt.Errorf("STRIPE_TRIAL_DAYS: %d is not between 0 and %d", c.TrialDays, maxTrialDays))
	}
	switch {
	case c.Demo() && chosen != plan.Demo:
		errs = append(errs, errors.New("STRIPE_SECRET_KEY: missing, while STRIPE_PUBLISHABLE_KEY is set"))
	case c.Demo() && c.WebhookSecrets != "":
		errs = append(errs, errors.New("STRIPE_WEBHOOK_SECRETS: set without STRIPE_SECRET_KEY"))
	case c.Demo():
		return errors.Join(errs...)
	case c.mode() == plan.Demo:
		errs = append(errs, errors.New("STRIPE_SECRET_KEY: begins with none of sk_test_, sk_live_, rk_test_ and rk_live_"))
	case c.mode() != chosen:
		errs = append(errs, fmt.Errorf("STRIPE_SECRET_KEY: is a %s key, but STRIPE_PUBLISHABLE_KEY chooses %s mode", c.mode(), chosen))
	}
	return errors.Join(append(errs, c.validateSecrets(), c.validateURL())...)
}

func (c Config) validateSecrets() error {
	if c.Demo() {
		return nil
	}
	secrets := c.WebhookSecrets.Split()
	if len(secrets) < 1 || len(secrets) > maxSecrets {
		return fmt.Errorf("STRIPE_WEBHOOK_SECRETS: has %d secrets, needs one or two", len(secrets))
	}
	for _, secret := range secrets {
		if !strings.HasPrefix(string(secret), "whsec_") || len(secret) < len("whsec_")+16 {
			return errors.New("STRIPE_WEBHOOK_SECRETS: a secret begins with whsec_ and has at least 16 characters more")
		}
	}
	return nil
}

func (c Config) validateURL() error {
	if c.APIURL == "" {
		return nil
	}
	u, err := url.Parse(c.APIURL)
	switch {
	case err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		return errors.New("STRIPE_API_URL: must be an origin such as http://127.0.0.1:8084")
	case c.Live():
		return errors.New("STRIPE_API_URL: refused with a live key")
	}
	return nil
}
