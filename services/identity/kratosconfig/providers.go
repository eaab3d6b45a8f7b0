package kratosconfig

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/hostname"
)

// Google is the client of console.cloud.google.com, see
// deploy/docs/sign-in-providers.md.
type Google struct {
	ClientID     string        `env:"CLIENT_ID"`
	ClientSecret config.Secret `env:"CLIENT_SECRET"`
}

// Apple is the Services ID of developer.apple.com and the key that signs for it.
type Apple struct {
	// ClientID is the Services ID, such as com.example.web.
	ClientID string `env:"CLIENT_ID"`
	// AppID is the primary App ID of the Services ID, such as com.example.app: Apple's notifications are for it.
	// May be empty.
	AppID string `env:"APP_ID"`
	// TeamID and KeyID have ten characters each.
	TeamID string `env:"TEAM_ID"`
	KeyID  string `env:"KEY_ID"`
	// PrivateKey is the content of the downloaded AuthKey_….p8 file. Kratos signs a
	// client secret with it for each request, so nothing here expires.
	PrivateKey config.Secret `env:"PRIVATE_KEY"`
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$`)
	appleID    = regexp.MustCompile(`^[A-Z0-9]{10}$`)
)

func (c Config) validateProviders() error {
	if c.StandInURL == "" {
		return errors.Join(c.Google.Validate(), c.Apple.Validate(), c.validatePublic())
	}
	var errs []error
	if c.Google != (Google{}) || c.Apple != (Apple{}) {
		errs = append(errs, errors.New("KRATOS_STAND_IN_URL and GOOGLE_… or APPLE_… exclude each other"))
	}
	site, siteErr := url.Parse(c.SiteOrigin)
	standIn, err := url.Parse(c.StandInURL)
	if errors.Join(siteErr, err) != nil || !hostname.IsTest(site.Hostname()) || standIn.Scheme != "http" || standIn.Path != "" ||
		!hostname.IsTest(standIn.Hostname()) && !hostname.IsCluster(standIn.Hostname()) {
		errs = append(errs, errors.New("KRATOS_STAND_IN_URL: it lets anybody be anybody, so it and SITE_ORIGIN must be on this machine or under a test name such as fledge.test"))
	}
	return errors.Join(errs...)
}

// validatePublic refuses a site that the providers would not send people back to.
func (c Config) validatePublic() error {
	site, err := url.Parse(c.SiteOrigin)
	if err != nil || site.Scheme != "https" || hostname.IsTest(site.Hostname()) || !strings.Contains(site.Hostname(), ".") {
		return errors.New("SITE_ORIGIN: Google and Apple send people back to an https site under a domain only; use KRATOS_STAND_IN_URL on this machine")
	}
	return nil
}

// Validate reports what is wrong, by variable.
func (g Google) Validate() error {
	var errs []error
	if !strings.HasSuffix(g.ClientID, ".apps.googleusercontent.com") {
		errs = append(errs, errors.New("GOOGLE_CLIENT_ID: does not end in .apps.googleusercontent.com"))
	}
	if g.ClientSecret == "" {
		errs = append(errs, errors.New("GOOGLE_CLIENT_SECRET is missing"))
	}
	return errors.Join(errs...)
}

// Validate reports what is wrong, by variable.
func (a Apple) Validate() error {
	var errs []error
	if !identifier.MatchString(a.ClientID) {
		errs = append(errs, errors.New("APPLE_CLIENT_ID: not a Services ID such as com.example.web"))
	}
	if a.AppID != "" && !identifier.MatchString(a.AppID) {
		errs = append(errs, errors.New("APPLE_APP_ID: not an App ID such as com.example.app, without the team id"))
	}
	if !appleID.MatchString(a.TeamID) {
		errs = append(errs, errors.New("APPLE_TEAM_ID: not ten capital letters and digits"))
	}
	if !appleID.MatchString(a.KeyID) {
		errs = append(errs, errors.New("APPLE_KEY_ID: not ten capital letters and digits"))
	}
	if err := checkPrivateKey(a.PrivateKey); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkPrivateKey accepts what Apple gives out: a P-256 key, PKCS #8 in PEM.
func checkPrivateKey(key config.Secret) error {
	block, rest := pem.Decode([]byte(key.Reveal()))
	if block == nil || block.Type != "PRIVATE KEY" || strings.TrimSpace(string(rest)) != "" {
		return errors.New("APPLE_PRIVATE_KEY: not one PEM block of type PRIVATE KEY, the content of AuthKey_….p8")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return errors.New("APPLE_PRIVATE_KEY: not a PKCS #8 key")
	}
	if ec, ok := parsed.(*ecdsa.PrivateKey); !ok || ec.Curve != elliptic.P256() {
		return errors.New("APPLE_PRIVATE_KEY: not an elliptic curve key on P-256")
	}
	return nil
}
