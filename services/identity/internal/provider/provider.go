// Package provider is what the service does with Google and Apple itself, beside Kratos, which
// signs people in there: it checks whether they accept the product's own credentials, reads what
// Apple reports about the people who signed in with it, and tells Apple whose account has ended.
package provider

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/clock"
)

// The providers, as Kratos and the accounts name them.
const (
	Google = "google"
	Apple  = "apple"
)

// Config is what the installation is to the providers: the settings of `identity kratos-config`
// again. Without those of a provider nothing is done with it.
type Config struct {
	Google kratosconfig.Google `envPrefix:"GOOGLE_"`
	Apple  kratosconfig.Apple  `envPrefix:"APPLE_"`
	// StandInURL replaces both, as it does for Kratos.
	StandInURL string `env:"KRATOS_STAND_IN_URL"`
	// Timeout bounds a call.
	Timeout time.Duration `env:"PROVIDER_TIMEOUT" envDefault:"10s"`
}

// Validate reports what is wrong, by variable.
func (c Config) Validate() error {
	var errs []error
	if c.StandInURL != "" && (c.Google != (kratosconfig.Google{}) || c.Apple != (kratosconfig.Apple{})) {
		errs = append(errs, errors.New("KRATOS_STAND_IN_URL and GOOGLE_… or APPLE_… exclude each other"))
	}
	if u, err := url.Parse(c.StandInURL); err != nil || c.StandInURL != "" && (u.Host == "" || u.Path != "") {
		errs = append(errs, errors.New("KRATOS_STAND_IN_URL: not an address such as http://host:8081"))
	}
	if c.Google != (kratosconfig.Google{}) {
		errs = append(errs, c.Google.Validate())
	}
	if c.Apple != (kratosconfig.Apple{}) {
		errs = append(errs, c.Apple.Validate())
	}
	if c.Timeout <= 0 {
		errs = append(errs, errors.New("PROVIDER_TIMEOUT must be positive"))
	}
	return errors.Join(errs...)
}

// place is where a provider is found, and who the product is there.
type place struct {
	name     string
	clientID string
	// appID is Apple's alone, and may be "".
	appID string
	// issuer, keys and token are the addresses of its discovery document, which change once in
	// many years.
	issuer, keys, token string
	// revocation is "" where there is none.
	revocation string
	secret     func(clock.Clock) (string, error)
}

// places returns the providers that are set up.
func (c Config) places() []place {
	if c.StandInURL != "" {
		return []place{c.standIn(Google), c.standIn(Apple)}
	}
	var all []place
	if c.Google != (kratosconfig.Google{}) {
		all = append(all, place{
			name: Google, clientID: c.Google.ClientID, token: googleToken,
			secret: func(clock.Clock) (string, error) { return c.Google.ClientSecret.Reveal(), nil },
		})
	}
	if c.Apple != (kratosconfig.Apple{}) {
		all = append(all, place{
			name: Apple, clientID: c.Apple.ClientID, appID: c.Apple.AppID, issuer: appleIssuer,
			keys: appleIssuer + "/auth/keys", token: appleIssuer + "/auth/token", revocation: appleIssuer + "/auth/revoke",
			secret: func(clk clock.Clock) (string, error) { return signSecret(c.Apple, clk.Now()) },
		})
	}
	return all
}

const (
	appleIssuer = "https://appleid.apple.com"
	googleToken = "https://oauth2.googleapis.com/token" //nolint:gosec // an address, no token
)

func (c Config) standIn(name string) place {
	issuer := c.StandInURL + "/" + name
	return place{
		name: name, clientID: "fledge-local-" + name, appID: c.Apple.AppID,
		issuer: issuer, keys: issuer + "/keys", token: issuer + "/oauth/token", revocation: issuer + "/auth/revoke",
		secret: func(clock.Clock) (string, error) { return fmt.Sprintf("fledge-local-%s-not-a-secret", name), nil },
	}
}
