package gateway

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/clientip"
	"fledge.dev/gateway/internal/mailreports"
	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/gateway/internal/waitlist"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// Config is the gateway's configuration.
type Config struct {
	service.Base
	// HTTPAddr is where the front door reaches the gateway.
	HTTPAddr string `env:"HTTP_ADDR" envDefault:"127.0.0.1:0"`
	// SiteOrigin is the site's public origin, "https://example.com": the issuer of
	// access tokens and the only site that may use the cookie routes.
	SiteOrigin string `env:"SITE_ORIGIN"`
	// AppLinks are further links of the Mac app, which get codes only: https links that it has claimed, on
	// another host than the site's, and links of a scheme that is a domain in reverse.
	AppLinks []string `env:"APP_LINKS"`
	// HSTSSubdomains says, on a site of https, that browsers may use hosts below the site's over
	// https only, too. On a site without a name in front ("example.com") these may be others'.
	HSTSSubdomains bool `env:"HSTS_SUBDOMAINS" envDefault:"true"`
	// TrustedProxies are the networks of the front door, whose X-Forwarded-For
	// names the client.
	TrustedProxies []string `env:"TRUSTED_PROXIES" envDefault:"127.0.0.0/8,::1/128"`

	Services backend.Config
	// InternalToken opens the services' internal methods.
	InternalToken config.Secret `env:"INTERNAL_TOKEN"`
	TLS           rpc.TLSConfig `envPrefix:"GRPC_TLS_"`
	// KratosPublicURL is Kratos' public interface, by an internal address.
	KratosPublicURL string `env:"KRATOS_PUBLIC_URL"`
	// DownloadHosts are the hosts that a download may lead to, over https: GitHub's and those of its
	// storage. A site on this machine or under a test name may also use any such name over http.
	DownloadHosts []string `env:"DOWNLOAD_HOSTS" envDefault:"github.com,release-assets.githubusercontent.com,objects.githubusercontent.com"`

	// ConnectPatience is how long startup waits for the first service to answer.
	ConnectPatience time.Duration `env:"CONNECT_PATIENCE" envDefault:"20s"`
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
	// MaxWebhooksInFlight is the same for webhooks, which count neither towards MaxInFlight
	// nor towards the rates of a client.
	MaxWebhooksInFlight int `env:"MAX_WEBHOOKS_IN_FLIGHT" envDefault:"128"`
	// MaxInFlightPerClient and MaxWebhooksInFlightPerClient are the same for one client, as
	// limits.InFlight tells them apart; more get 429 at once. Stripe and GitHub deliver from several addresses each,
	// and no few addresses can take all places.
	MaxInFlightPerClient         int `env:"MAX_IN_FLIGHT_PER_CLIENT" envDefault:"64"`
	MaxWebhooksInFlightPerClient int `env:"MAX_WEBHOOKS_IN_FLIGHT_PER_CLIENT" envDefault:"16"`
	// MaxBodies is how many bodies may be awaited, which have no place yet; more get 503 at
	// once. MaxBodiesPerClient is the same for one client; more get 429. Webhooks
	// are counted apart from all others.
	MaxBodies          int `env:"MAX_BODIES" envDefault:"2048"`
	MaxBodiesPerClient int `env:"MAX_BODIES_PER_CLIENT" envDefault:"32"`
	RateLimits
	MailReports mailreports.Config
}

// Validate reports every setting that cannot work.
func (c Config) Validate() error {
	errs := []error{c.Base.Validate(), c.Services.Validate(), c.TLS.Validate(), c.MailReports.Validate()}
	if site, err := config.Origin("SITE_ORIGIN", c.SiteOrigin); err != nil {
		errs = append(errs, err)
	} else if _, err := returnto.NewLinks(c.AppLinks, site); err != nil {
		errs = append(errs, fmt.Errorf("APP_LINKS: %w", err))
	}
	if _, err := parseBase("KRATOS_PUBLIC_URL", c.KratosPublicURL); err != nil {
		errs = append(errs, err)
	}
	if _, err := clientip.ParseNetworks(c.TrustedProxies); err != nil {
		errs = append(errs, fmt.Errorf("TRUSTED_PROXIES: %w", err))
	}
	if c.InternalToken.Shorter(32) {
		errs = append(errs, errors.New("INTERNAL_TOKEN: needs at least 32 characters"))
	}
	if c.ConnectPatience <= 0 || c.RequestTimeout <= 0 || c.PaymentTimeout <= 0 || c.BodyTimeout <= 0 {
		errs = append(errs, errors.New("CONNECT_PATIENCE, REQUEST_TIMEOUT, PAYMENT_TIMEOUT and BODY_TIMEOUT must be positive"))
	}
	if min(c.MaxInFlight, c.MaxWebhooksInFlight, c.MaxInFlightPerClient, c.MaxWebhooksInFlightPerClient, c.MaxBodies, c.MaxBodiesPerClient) < 1 {
		errs = append(errs, errors.New("MAX_IN_FLIGHT, MAX_WEBHOOKS_IN_FLIGHT, MAX_BODIES and all …_PER_CLIENT must be positive"))
	}
	return errors.Join(append(errs, c.validateRates())...)
}

func (c Config) api(site *url.URL) api.Config {
	return api.Config{
		Site: site, AppLinks: c.AppLinks, HSTSSubdomains: c.HSTSSubdomains, TrustedProxies: c.TrustedProxies, RequestTimeout: c.RequestTimeout, PaymentTimeout: c.PaymentTimeout,
		SignUpTimeout: waitlist.SignUpTimeout,
		BodyTimeout:   c.BodyTimeout, MaxInFlight: c.MaxInFlight, MaxWebhooks: c.MaxWebhooksInFlight, MaxPerClient: c.MaxInFlightPerClient, MaxWebhooksPerClient: c.MaxWebhooksInFlightPerClient,
		MaxBodies: c.MaxBodies, MaxBodiesPerClient: c.MaxBodiesPerClient,
		General: c.general(), SignUp: c.signUp(), SignIn: c.signIn(), Session: c.session(), Token: c.token(), Checkout: c.checkout(), CheckoutSync: c.checkoutSync(), MailReport: c.mailReport(),
		MailReports:   c.MailReports,
		DownloadHosts: c.DownloadHosts,
	}
}

func parseBase(key, value string) (*url.URL, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("%s: %q is not an http address", key, value)
	}
	return u, nil
}
