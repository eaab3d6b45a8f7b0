package webhook

import (
	"errors"
	"net/netip"
	"net/url"

	"fledge.dev/services/platform/config"
)

// The formats of what is posted.
const (
	JSON  = "json"
	Slack = "slack"
)

const minSecret = 32

// Config says whom to tell of tickets and of what customers write. Without a URL nobody is.
type Config struct {
	// URL is https, or http on this machine. It is a secret: whoever has Slack's may post there.
	URL config.Secret `env:"TICKET_WEBHOOK_URL"`
	// Format is json or slack.
	Format string `env:"TICKET_WEBHOOK_FORMAT" envDefault:"json"`
	// Secret signs; while one is replaced, the new one and, after a comma, the old one. Slack checks no signature.
	Secret config.Secret `env:"TICKET_WEBHOOK_SECRET"`
}

// On reports whether there is somebody to tell.
func (c Config) On() bool { return c.URL != "" }

// Validate checks the settings without touching the network.
func (c Config) Validate() error {
	var errs []error
	if c.Format != JSON && c.Format != Slack {
		errs = append(errs, errors.New("TICKET_WEBHOOK_FORMAT must be json or slack"))
	}
	if !c.On() {
		return errors.Join(errs...)
	}
	u, err := url.Parse(c.URL.Reveal())
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		errs = append(errs, errors.New("TICKET_WEBHOOK_URL must be https, without a user"))
	}
	if c.Format == JSON && c.Secret == "" {
		errs = append(errs, errors.New("TICKET_WEBHOOK_SECRET is missing"))
	}
	if c.Secret != "" && c.Secret.Shorter(minSecret) {
		errs = append(errs, errors.New("TICKET_WEBHOOK_SECRET must be of 32 bytes or more"))
	}
	return errors.Join(errs...)
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
