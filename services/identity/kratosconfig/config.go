// Package kratosconfig generates the whole configuration of Ory Kratos from typed
// settings: one template for every installation, with the identity schema, the mapper of
// the providers' claims and the body of the hooks.
//
// A Kratos with real providers and that of the local stack differ only in their providers'
// addresses and keys.
package kratosconfig

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/hostname"
)

const (
	// SecretLength is what each of Kratos' own secrets must have, in bytes. It takes
	// longer ones for cookies, but uses the second of a list as an AES key: with
	// another length no sign-in would start any more once there are two.
	SecretLength = 32
	minHookKey   = 32
)

// Config is all that differs between installations.
type Config struct {
	// SiteOrigin is the site's public origin: https, or http on this machine.
	SiteOrigin string `env:"SITE_ORIGIN"`
	// DatabaseURL is Kratos' own database; MaxConns bounds its pool.
	DatabaseURL config.Secret `env:"KRATOS_DATABASE_URL"`
	MaxConns    int           `env:"KRATOS_DATABASE_MAX_CONNS" envDefault:"20"`
	// PublicAddr and AdminAddr are where Kratos listens.
	PublicAddr string `env:"KRATOS_PUBLIC_ADDR" envDefault:":4433"`
	AdminAddr  string `env:"KRATOS_ADMIN_ADDR" envDefault:":4434"`
	// AdminURL is how the identity service reaches the second one.
	AdminURL string `env:"KRATOS_ADMIN_URL"`
	// HookURL is the identity service's HOOK_ADDR as Kratos reaches it, HookKey
	// what identity expects there.
	HookURL string        `env:"KRATOS_HOOK_URL"`
	HookKey config.Secret `env:"HOOK_KEY"`
	// CookieSecrets sign cookies, CipherSecrets encrypt the providers' tokens. The
	// first of each is used, the others are still read: put a new one in front.
	CookieSecrets []config.Secret `env:"KRATOS_COOKIE_SECRETS"`
	CipherSecrets []config.Secret `env:"KRATOS_CIPHER_SECRETS"`

	Google Google `envPrefix:"GOOGLE_"`
	Apple  Apple  `envPrefix:"APPLE_"`
	// StandInURL replaces both by the stand-in of the local stack, which lets
	// anybody be anybody. It takes a site and a stand-in on this machine or under a
	// test name, see hostname.IsTest; in a cluster the stand-in may be a service.
	StandInURL string `env:"KRATOS_STAND_IN_URL"`
}

// Validate reports everything that Kratos would refuse or misread, by variable.
func (c Config) Validate() error {
	return errors.Join(c.validatePlaces(), c.validateSecrets(), c.validateProviders())
}

func (c Config) validatePlaces() error {
	var errs []error
	if site, err := url.Parse(c.SiteOrigin); err != nil || c.SiteOrigin != site.Scheme+"://"+site.Host ||
		site.Scheme != "https" && (site.Scheme != "http" || !keepsSecureCookies(site)) {
		errs = append(errs, errors.New("SITE_ORIGIN: not an https origin such as https://example.com"))
	}
	if u, err := url.Parse(c.DatabaseURL.Reveal()); err != nil || u.Host == "" || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		errs = append(errs, errors.New("KRATOS_DATABASE_URL: not a postgres:// URL"))
	}
	if c.MaxConns < 1 {
		errs = append(errs, errors.New("KRATOS_DATABASE_MAX_CONNS must be positive"))
	}
	for name, addr := range map[string]string{"KRATOS_PUBLIC_ADDR": c.PublicAddr, "KRATOS_ADMIN_ADDR": c.AdminAddr} {
		if _, err := parseListener(addr); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	for name, base := range map[string]string{"KRATOS_ADMIN_URL": c.AdminURL, "KRATOS_HOOK_URL": c.HookURL} {
		u, err := url.Parse(base)
		if err != nil || base != u.Scheme+"://"+u.Host || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			errs = append(errs, fmt.Errorf("%s: not an address such as http://host:4434", name))
		}
	}
	return errors.Join(errs...)
}

func (c Config) validateSecrets() error {
	var errs []error
	if c.HookKey.Shorter(minHookKey) {
		errs = append(errs, fmt.Errorf("HOOK_KEY: needs at least %d characters", minHookKey))
	}
	for name, secrets := range map[string][]config.Secret{"KRATOS_COOKIE_SECRETS": c.CookieSecrets, "KRATOS_CIPHER_SECRETS": c.CipherSecrets} {
		wrong := func(s config.Secret) bool { return len(trimmed(s)) != SecretLength }
		if len(secrets) == 0 || slices.ContainsFunc(secrets, wrong) {
			errs = append(errs, fmt.Errorf("%s: needs secrets of exactly %d characters, separated by commas", name, SecretLength))
		}
	}
	return errors.Join(errs...)
}

// trimmed is one secret of a list, which may have one a line.
func trimmed(s config.Secret) string { return strings.TrimSpace(s.Reveal()) }

// keepsSecureCookies reports whether browsers keep Kratos' cookies, which are all
// Secure, on plain http: on names of this machine alone.
func keepsSecureCookies(u *url.URL) bool {
	return hostname.IsLoopback(u.Hostname()) || strings.HasSuffix(u.Hostname(), ".localhost")
}

// listener is where Kratos listens, as it wants to be told.
type listener struct {
	Host string
	Port int
}

func parseListener(addr string) (listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return listener{}, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return listener{}, fmt.Errorf("%q is not a port", port)
	}
	return listener{Host: host, Port: int(number)}, nil
}
