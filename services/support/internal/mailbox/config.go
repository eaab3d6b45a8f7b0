package mailbox

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"os"
	"strings"
	"time"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/mail"
)

// Config says where mails arrive. Without an address of a server none are read.
type Config struct {
	// Addr is the host:port of the IMAP server.
	Addr string `env:"IMAP_ADDR"`
	// TLS is none, starttls or tls, as of SMTP_TLS.
	TLS string `env:"IMAP_TLS" envDefault:"tls"`
	// CAFile verifies the server, PEM; "" trusts the system's authorities.
	CAFile   string        `env:"IMAP_CA_FILE"`
	User     string        `env:"IMAP_USER"`
	Password config.Secret `env:"IMAP_PASSWORD"`
	// Inbox is read; what was taken is moved to Done, and what people have to look at to People. A prefix that the server
	// wants before the names of folders, such as "INBOX.", may be left out of these two.
	Inbox  string `env:"IMAP_INBOX" envDefault:"INBOX"`
	Done   string `env:"IMAP_DONE" envDefault:"Fledge done"`
	People string `env:"IMAP_PEOPLE" envDefault:"Fledge for people"`
	// Every is the pause between two looks.
	Every time.Duration `env:"IMAP_EVERY" envDefault:"30s"`
	// TrustedHosts are the names, with commas between, by which the servers that receive the mails sign their
	// Authentication-Results; "*.example.com" is any host of that domain. They have to remove those of others by these
	// names. "" believes no sender: only answers to the signed addresses are taken.
	TrustedHosts []string `env:"MAIL_IN_TRUSTED_HOST"`
	// ReplyAddress gets the answers, with the ticket and a signature after a plus sign; its
	// mailbox is the one that is read.
	ReplyAddress string `env:"MAIL_IN_REPLY_ADDRESS"`
	// ReplyKeys sign; while one is replaced, the new one and, after a comma, the old one.
	ReplyKeys config.Secret `env:"MAIL_IN_REPLY_KEYS"`
}

const minKey = 32

// Validate checks the settings without touching the network.
func (c Config) Validate() error {
	if c.Addr == "" {
		return nil
	}
	var errs []error
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		errs = append(errs, fmt.Errorf("IMAP_ADDR: %w", err))
	}
	if c.TLS != mail.TLSNone && c.TLS != mail.TLSStart && c.TLS != mail.TLSImplicit {
		errs = append(errs, fmt.Errorf("IMAP_TLS: %q is not none, starttls or tls", c.TLS))
	}
	if c.User == "" || c.Password == "" {
		errs = append(errs, errors.New("IMAP_USER and IMAP_PASSWORD are missing"))
	}
	if c.Inbox == "" || c.Done == "" || c.People == "" || c.Inbox == c.Done || c.Done == c.People || c.Inbox == c.People {
		errs = append(errs, errors.New("IMAP_INBOX, IMAP_DONE and IMAP_PEOPLE must be three mailboxes"))
	}
	if c.Every <= 0 {
		errs = append(errs, errors.New("IMAP_EVERY must be positive"))
	}
	if address, err := netmail.ParseAddress(c.ReplyAddress); err != nil || address.Address != c.ReplyAddress {
		errs = append(errs, errors.New("MAIL_IN_REPLY_ADDRESS must be a bare address"))
	}
	for _, host := range c.TrustedHosts {
		name, within := strings.CutPrefix(strings.TrimSpace(host), "*.")
		if strings.ContainsAny(name, "*@ ") || within && !strings.Contains(name, ".") {
			errs = append(errs, fmt.Errorf("MAIL_IN_TRUSTED_HOST: %q is not the name of a host, or *. and a domain", host))
		}
	}
	if c.ReplyKeys.Shorter(minKey) {
		errs = append(errs, fmt.Errorf("MAIL_IN_REPLY_KEYS must be of %d bytes or more", minKey))
	}
	return errors.Join(errs...)
}

// Reply is how answers are addressed.
func (c Config) Reply() ReplyAddress {
	if c.Addr == "" {
		return ReplyAddress{}
	}
	return ReplyAddress{Base: c.ReplyAddress, Keys: c.ReplyKeys}
}

func (c Config) tlsConfig() (*tls.Config, error) {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("mailbox: IMAP_ADDR: %w", err)
	}
	cfg := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if c.CAFile == "" {
		return cfg, nil
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("mailbox: IMAP_CA_FILE: %w", err)
	}
	cfg.RootCAs = x509.NewCertPool()
	if !cfg.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("mailbox: IMAP_CA_FILE: no certificate in %s", c.CAFile)
	}
	return cfg, nil
}
