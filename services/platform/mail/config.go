package mail

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"os"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"fledge.dev/services/platform/config"
)

// TLS modes of Config.
const (
	// TLSNone sends in the clear: for a server on this machine.
	TLSNone = "none"
	// TLSStart demands STARTTLS (RFC 3207).
	TLSStart = "starttls"
	// TLSImplicit speaks TLS from the first byte (RFC 8314).
	TLSImplicit = "tls"
)

// Config says how emails are sent.
type Config struct {
	// SMTPAddr is the host:port of the mail server.
	SMTPAddr string `env:"SMTP_ADDR" envDefault:"127.0.0.1:587"`
	// TLS is none, starttls or tls.
	TLS string `env:"SMTP_TLS" envDefault:"starttls"`
	// CAFile verifies the server, PEM; "" trusts the system's authorities.
	CAFile   string        `env:"SMTP_CA_FILE"`
	User     string        `env:"SMTP_USER"`
	Password config.Secret `env:"SMTP_PASSWORD"`
	// Auth is the SASL mechanism: plain, login, cram-md5 or scram-sha-256; auto takes the
	// first that the server offers of plain, login, scram-sha-256 and cram-md5.
	Auth string `env:"SMTP_AUTH" envDefault:"auto"`
	// HELO is the name by which we greet the server; "" is the sender's domain. Strict
	// servers refuse one that DNS does not know, such as a pod's.
	HELO string `env:"SMTP_HELO"`
	// Timeout bounds one delivery, from dialling to the server's answer. Exchange takes half a minute for that by
	// default; who does not wait for it sends an email twice.
	Timeout time.Duration `env:"SMTP_TIMEOUT" envDefault:"1m"`
	// From is the sender, with or without a name (RFC 5322 mailbox), and must be set. Its domain
	// is also that of Message-IDs.
	From string `env:"MAIL_FROM"`
	// EnvelopeFrom is the address that mail servers send bounces to (RFC 5321, MAIL FROM), and
	// whose domain SPF is checked for; "" is that of From.
	EnvelopeFrom string `env:"MAIL_ENVELOPE_FROM"`
	// ReplyTo takes answers, and is the address for questions that emails show. It must be set.
	ReplyTo string `env:"MAIL_REPLY_TO"`
	// TemplatesDir has the installation's own words: files that replace templates of the service, or the
	// layout around them. "" has none.
	TemplatesDir string `env:"MAIL_TEMPLATES_DIR"`
	// RescueStuckJobsAfter is when an email that a worker took and never
	// reported on is given to another. Must exceed Timeout by 5 s or more. The
	// search runs every 30 s, so the default has an email out within 2 minutes
	// of a kill.
	RescueStuckJobsAfter time.Duration `env:"MAIL_RESCUE_STUCK_JOBS_AFTER" envDefault:"75s"`
}

// Validate checks the settings without touching the network.
func (c Config) Validate() error {
	var errs []error
	if _, _, err := c.hostPort(); err != nil {
		errs = append(errs, fmt.Errorf("SMTP_ADDR: %w", err))
	}
	if c.TLS != TLSNone && c.TLS != TLSStart && c.TLS != TLSImplicit {
		errs = append(errs, fmt.Errorf("SMTP_TLS: %q is not none, starttls or tls", c.TLS))
	}
	if c.Password != "" && c.TLS == TLSNone {
		errs = append(errs, errors.New("SMTP_PASSWORD must not travel with SMTP_TLS=none"))
	}
	if (c.User == "") != (c.Password == "") {
		errs = append(errs, errors.New("SMTP_USER and SMTP_PASSWORD go together"))
	}
	if _, ok := mechanisms[c.Auth]; !ok {
		errs = append(errs, fmt.Errorf("SMTP_AUTH: %q is not auto, plain, login, cram-md5 or scram-sha-256", c.Auth))
	}
	if strings.ContainsFunc(c.HELO, func(r rune) bool { return r <= ' ' || r > '~' }) {
		errs = append(errs, fmt.Errorf("SMTP_HELO: %q is not a host name", c.HELO))
	}
	if _, err := c.envelopeFrom(); err != nil {
		errs = append(errs, fmt.Errorf("MAIL_ENVELOPE_FROM: %w", err))
	}
	if c.From == "" {
		errs = append(errs, errors.New("MAIL_FROM is missing: the sender of all emails, such as Fledge <hello@example.com>"))
	} else if _, err := netmail.ParseAddress(c.From); err != nil {
		errs = append(errs, fmt.Errorf("MAIL_FROM: %w", err))
	}
	if c.ReplyTo == "" {
		errs = append(errs, errors.New("MAIL_REPLY_TO is missing: the address for answers to emails"))
	} else if _, err := netmail.ParseAddress(c.ReplyTo); err != nil {
		errs = append(errs, fmt.Errorf("MAIL_REPLY_TO: %w", err))
	}
	if c.Timeout <= 0 || c.RescueStuckJobsAfter < c.Timeout+recordTimeout {
		errs = append(errs, fmt.Errorf("SMTP_TIMEOUT must be positive and MAIL_RESCUE_STUCK_JOBS_AFTER at least %s more", recordTimeout))
	}
	return errors.Join(errs...)
}

func (c Config) hostPort() (string, int, error) {
	host, port, err := net.SplitHostPort(c.SMTPAddr)
	if err != nil {
		return "", 0, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	return host, int(number), err
}

// questions is the bare address of Config.ReplyTo.
func questions(replyTo string) (string, error) {
	address, err := netmail.ParseAddress(replyTo)
	if err != nil {
		return "", fmt.Errorf("mail: MAIL_REPLY_TO: %w", err)
	}
	return address.Address, nil
}

// mechanisms are the values of Auth. A password travels in TLS only (Validate), so that
// the mechanism that all servers get right comes first.
var mechanisms = map[string]gomail.Option{
	"auto":          gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthCramMD5),
	"plain":         gomail.WithSMTPAuth(gomail.SMTPAuthPlain),
	"login":         gomail.WithSMTPAuth(gomail.SMTPAuthLogin),
	"cram-md5":      gomail.WithSMTPAuth(gomail.SMTPAuthCramMD5),
	"scram-sha-256": gomail.WithSMTPAuth(gomail.SMTPAuthSCRAMSHA256),
}

// envelopeFrom is a bare address.
func (c Config) envelopeFrom() (string, error) {
	if c.EnvelopeFrom != "" {
		address, err := netmail.ParseAddress(c.EnvelopeFrom)
		if err == nil && address.Address != c.EnvelopeFrom {
			err = errors.New("it must be a bare address")
		}
		return c.EnvelopeFrom, err
	}
	address, err := netmail.ParseAddress(c.From)
	if err != nil {
		return "", nil //nolint:nilerr // Validate says so of MAIL_FROM
	}
	return address.Address, nil
}

// client returns the host of the server, and what a client for each delivery is made with.
func (c Config) client() (host string, opts []gomail.Option, err error) {
	host, port, err := c.hostPort()
	if err != nil {
		return "", nil, fmt.Errorf("mail: SMTP_ADDR: %w", err)
	}
	opts = []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(c.Timeout), gomail.WithHELO(c.helo())}
	switch c.TLS {
	case TLSNone:
		opts = append(opts, gomail.WithTLSPolicy(gomail.NoTLS))
	case TLSStart:
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case TLSImplicit:
		opts = append(opts, gomail.WithSSL())
	}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return "", nil, fmt.Errorf("mail: SMTP_CA_FILE: %w", err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return "", nil, fmt.Errorf("mail: SMTP_CA_FILE: no certificate in %s", c.CAFile)
		}
		opts = append(opts, gomail.WithTLSConfig(&tls.Config{ServerName: host, RootCAs: roots, MinVersion: tls.VersionTLS12}))
	}
	if c.User != "" {
		opts = append(opts, mechanisms[c.Auth], gomail.WithUsername(c.User), gomail.WithPassword(c.Password.Reveal()))
	}
	return host, opts, nil
}

func (c Config) helo() string {
	if c.HELO != "" {
		return c.HELO
	}
	sender, _ := c.envelopeFrom()
	_, domain := splitAddress(asciiAddress(sender))
	return domain
}
