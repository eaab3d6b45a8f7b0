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
	// Timeout bounds one delivery, from dialling to the server's answer.
	Timeout time.Duration `env:"SMTP_TIMEOUT" envDefault:"20s"`
	// From is the sender, with or without a name (RFC 5322 mailbox). Its domain
	// is also that of Message-IDs.
	From string `env:"MAIL_FROM" envDefault:"Fledge <hello@fledge.example>"`
	// ReplyTo takes answers.
	ReplyTo string `env:"MAIL_REPLY_TO" envDefault:"support@fledge.example"`
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
	if _, err := netmail.ParseAddress(c.From); err != nil {
		errs = append(errs, fmt.Errorf("MAIL_FROM: %w", err))
	}
	if _, err := netmail.ParseAddress(c.ReplyTo); err != nil {
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

// client returns a client that has not dialled.
func (c Config) client() (*gomail.Client, error) {
	host, port, err := c.hostPort()
	if err != nil {
		return nil, fmt.Errorf("mail: SMTP_ADDR: %w", err)
	}
	opts := []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(c.Timeout)}
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
			return nil, fmt.Errorf("mail: SMTP_CA_FILE: %w", err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("mail: SMTP_CA_FILE: no certificate in %s", c.CAFile)
		}
		opts = append(opts, gomail.WithTLSConfig(&tls.Config{ServerName: host, RootCAs: roots, MinVersion: tls.VersionTLS12}))
	}
	if c.User != "" {
		opts = append(opts, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(c.User), gomail.WithPassword(c.Password.Reveal()))
	}
	client, err := gomail.NewClient(host, opts...)
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	return client, nil
}
