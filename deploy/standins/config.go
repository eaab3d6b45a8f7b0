// Package standins runs the stand-ins (fakes) for external services as one program, in
// a cluster for development or tests. The local stack starts each of them by itself.
package standins

import (
	"errors"
	"fmt"
	"slices"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/hostname"
	"fledge.dev/services/platform/service"
)

// Names of the stand-ins.
const (
	Providers = "providers"
	Mail      = "mail"
	GitHub    = "github"
	Stripe    = "stripe"
)

// Config says which stand-ins run, and where. A URL is what browsers open; empty
// means the address that is listened on.
type Config struct {
	service.Base
	// Run names the stand-ins to run.
	Run []string `env:"STANDINS" envDefault:"providers,mail,github,stripe"`
	// InCluster lets them listen on any interface. They sign in anybody without a
	// password and show everybody's mail, so network policies have to restrict access.
	InCluster bool `env:"STANDINS_IN_CLUSTER"`
	// SiteOrigin is the site that people are sent back to: on this machine or under
	// a test name such as https://fledge.test.
	SiteOrigin string `env:"SITE_ORIGIN"`

	// Google and Apple; the issuer is their address as Kratos reaches it.
	ProvidersAddr   string `env:"PROVIDERS_ADDR" envDefault:"127.0.0.1:8081"`
	ProvidersIssuer string `env:"PROVIDERS_ISSUER"`
	ProvidersURL    string `env:"PROVIDERS_URL"`

	SMTPAddr string `env:"MAIL_SMTP_ADDR" envDefault:"127.0.0.1:2525"`
	MailAddr string `env:"MAIL_ADDR" envDefault:"127.0.0.1:8082"`
	// MailDir keeps the messages.
	MailDir string `env:"MAIL_DIR" envDefault:"mail"`

	GitHubAddr string `env:"GITHUB_ADDR" envDefault:"127.0.0.1:8083"`
	GitHubURL  string `env:"GITHUB_URL"`

	StripeAddr string `env:"STRIPE_ADDR" envDefault:"127.0.0.1:8084"`
	StripeURL  string `env:"STRIPE_URL"`
	// StripeWebhookURL receives Stripe's webhooks; empty leaves them undelivered.
	StripeWebhookURL string `env:"STRIPE_WEBHOOK_URL"`
	// StripeStateFile persists the account; empty keeps it in memory.
	StripeStateFile string `env:"STRIPE_STATE_FILE"`
}

// Validate reports what is wrong, by variable. The addresses are validated by each
// stand-in when it starts.
func (c Config) Validate() error {
	errs := []error{c.Base.Validate()}
	for _, name := range c.Run {
		if !slices.Contains([]string{Providers, Mail, GitHub, Stripe}, name) {
			errs = append(errs, fmt.Errorf("STANDINS: there is no %q: choose among providers, mail, github and stripe", name))
		}
	}
	if len(c.Run) == 0 {
		errs = append(errs, errors.New("STANDINS: names none"))
	}
	site, err := config.Origin("SITE_ORIGIN", c.SiteOrigin)
	if err == nil && !hostname.IsTest(site.Hostname()) {
		err = fmt.Errorf("SITE_ORIGIN: %q might be a public site: with stand-ins it is on this machine, or ends in .test or .localhost", c.SiteOrigin)
	}
	return errors.Join(append(errs, err)...)
}
