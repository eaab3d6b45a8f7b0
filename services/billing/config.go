package billing

import (
	"context"
	"errors"
	"time"

	"fledge.dev/services/billing/internal/checkout"
	"fledge.dev/services/billing/internal/cleanup"
	"fledge.dev/services/billing/internal/freetier"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/notice"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/setup"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// Config is everything that the service can be told.
type Config struct {
	service.Base
	RPC      rpc.ServerConfig
	Database pg.Config
	Bus      bus.Config
	Access   identityclient.Config
	Mail     mail.Config
	Notices  notice.Config
	Plans    plan.Config
	Stripe   stripe.Config
	Free     freetier.Config
	Kept     cleanup.Config

	// CreditLapseInterval is how often holds and grants are ended in accounts that
	// nobody touches. Balances are exact between.
	CreditLapseInterval time.Duration `env:"CREDIT_LAPSE_INTERVAL" envDefault:"30s"`
	// BalanceCheckInterval is how often all balances are recomputed.
	BalanceCheckInterval time.Duration `env:"BALANCE_CHECK_INTERVAL" envDefault:"1h"`
	// StripeReconcileInterval is how often all subscriptions and paid invoices of
	// Stripe's are compared with ours.
	StripeReconcileInterval time.Duration `env:"STRIPE_RECONCILE_INTERVAL" envDefault:"1h"`
	// AppsSpend is whether people's own apps may spend their credits and say what work has cost; otherwise
	// only servers of ours may.
	AppsSpend bool `env:"APPS_SPEND" envDefault:"true"`
}

// Validate checks every part and reports all problems together.
func (c Config) Validate() error {
	var intervals error
	if c.CreditLapseInterval <= 0 || c.BalanceCheckInterval <= 0 || c.StripeReconcileInterval <= 0 {
		intervals = errors.New("CREDIT_LAPSE_INTERVAL, BALANCE_CHECK_INTERVAL and STRIPE_RECONCILE_INTERVAL must be positive")
	}
	var mails error
	if c.Notices.On {
		mails = c.Mail.Validate()
	}
	return errors.Join(c.Base.Validate(), c.RPC.Validate(), c.Database.Validate(), c.Bus.Validate(), c.Access.Validate(),
		c.Plans.Validate(), c.Stripe.Validate(c.Plans.Mode()), c.Free.Validate(), c.Kept.Validate(),
		mails, c.Notices.Validate(), intervals)
}

// Migrate brings the service's database up to date.
func (c Config) Migrate(ctx context.Context) error {
	if err := store.Migrate(ctx, c.Database.URL.Reveal()); err != nil {
		return err
	}
	if err := webhook.Migrate(ctx, c.Database.URL.Reveal()); err != nil {
		return err
	}
	return mail.Migrate(ctx, c.Database.URL.Reveal())
}

func (c Config) setup() setup.Config {
	return setup.Config{Origin: c.Access.SiteOrigin, Events: webhook.Types(), Tax: c.Stripe.Page.Tax, Trials: c.Stripe.TrialDays > 0, Every: c.StripeReconcileInterval}
}

func (c Config) checkout() checkout.Config {
	return checkout.Config{Page: c.Stripe.Page, TrialDays: c.Stripe.TrialDays}
}

func (c Config) ledger() ledger.Config {
	return ledger.Config{Deadline: c.Database.Deadline, LapseEvery: c.CreditLapseInterval, CheckEvery: c.BalanceCheckInterval}
}
