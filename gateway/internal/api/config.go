package api

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"fledge.dev/gateway/internal/clientip"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/mailreports"
	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/gateway/internal/route"
)

// Config says how the interface behaves.
type Config struct {
	// Site is the site's public origin.
	Site *url.URL
	// Rates are those of one client address; that of CheckoutSync is of one account.
	Rates map[route.Limit]limits.Rate
	// SignUpTimeout bounds joining the waitlist.
	SignUpTimeout time.Duration

	// AppLinks are further links of the Mac app, which get codes only: https links that it has claimed, on
	// another host than the site's, and links of a scheme that is a domain in reverse.
	AppLinks returnto.Links `env:"APP_LINKS"`
	// HSTSSubdomains says, on a site of https, that browsers may use hosts below the site's over
	// https only, too. On a site without a name in front ("example.com") these may be others'.
	HSTSSubdomains bool `env:"HSTS_SUBDOMAINS" envDefault:"true"`
	// TrustedProxies are the networks of the front door, whose X-Forwarded-For
	// names the client.
	TrustedProxies []string `env:"TRUSTED_PROXIES" envDefault:"127.0.0.0/8,::1/128"`
	// DownloadHosts are the hosts that a download may lead to, over https: GitHub's and those of its
	// storage. A site on this machine or under a test name may also use any such name over http.
	DownloadHosts []string `env:"DOWNLOAD_HOSTS" envDefault:"github.com,release-assets.githubusercontent.com,objects.githubusercontent.com"`

	// RequestTimeout is the budget of one request, inherited by every call in it.
	RequestTimeout time.Duration `env:"REQUEST_TIMEOUT" envDefault:"5s"`
	// PaymentTimeout is the same for the routes that wait for Stripe: longer than the 8 s
	// that billing gives Stripe, and no longer than people wait.
	PaymentTimeout time.Duration `env:"PAYMENT_TIMEOUT" envDefault:"9500ms"`
	// BodyTimeout is how long a body may take to arrive, except for files.
	BodyTimeout time.Duration `env:"BODY_TIMEOUT" envDefault:"2s"`
	// MaxInFlight is how many requests may be in progress; more get 503 at once. Half of
	// them may wait for the same service.
	MaxInFlight int `env:"MAX_IN_FLIGHT" envDefault:"512"`
	// MaxWebhooks is the same for webhooks, which count neither towards MaxInFlight nor towards
	// the rates of a client.
	MaxWebhooks int `env:"MAX_WEBHOOKS_IN_FLIGHT" envDefault:"128"`
	// MaxPerClient and MaxWebhooksPerClient are the same for one client, as limits.InFlight tells
	// them apart; more get 429 at once. Stripe and GitHub deliver from several addresses each,
	// and no few addresses can take all places.
	MaxPerClient         int `env:"MAX_IN_FLIGHT_PER_CLIENT" envDefault:"64"`
	MaxWebhooksPerClient int `env:"MAX_WEBHOOKS_IN_FLIGHT_PER_CLIENT" envDefault:"16"`
	// MaxBodies is how many bodies may be awaited, which have no place yet; more get 503 at
	// once. MaxBodiesPerClient is the same for one client; more get 429. Webhooks
	// are counted apart from all others.
	MaxBodies          int `env:"MAX_BODIES" envDefault:"2048"`
	MaxBodiesPerClient int `env:"MAX_BODIES_PER_CLIENT" envDefault:"32"`

	MailReports mailreports.Config
}

// Validate reports every setting that cannot work on the site, nil if that is unknown.
func (c Config) Validate(site *url.URL) error {
	errs := []error{c.MailReports.Validate()}
	if site != nil {
		if _, err := returnto.NewLinks(c.AppLinks, site); err != nil {
			errs = append(errs, fmt.Errorf("APP_LINKS: %w", err))
		}
	}
	if _, err := clientip.ParseNetworks(c.TrustedProxies); err != nil {
		errs = append(errs, fmt.Errorf("TRUSTED_PROXIES: %w", err))
	}
	if c.RequestTimeout <= 0 || c.PaymentTimeout <= 0 || c.BodyTimeout <= 0 {
		errs = append(errs, errors.New("REQUEST_TIMEOUT, PAYMENT_TIMEOUT and BODY_TIMEOUT must be positive"))
	}
	if min(c.MaxInFlight, c.MaxWebhooks, c.MaxPerClient, c.MaxWebhooksPerClient, c.MaxBodies, c.MaxBodiesPerClient) < 1 {
		errs = append(errs, errors.New("MAX_IN_FLIGHT, MAX_WEBHOOKS_IN_FLIGHT, MAX_BODIES and all …_PER_CLIENT must be positive"))
	}
	return errors.Join(errs...)
}
