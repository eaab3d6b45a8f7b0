package bus

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"fledge.dev/services/platform/certs"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/service"
)

// Config says how a service reaches NATS and what its own stream is like.
type Config struct {
	// URL is one or more NATS server URLs, separated by commas. The scheme
	// tls:// demands TLS.
	URL string `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222"`
	// User and Password are the service's own: the server lets it publish its
	// own subjects only.
	User     string        `env:"NATS_USER"`
	Password config.Secret `env:"NATS_PASSWORD"`
	// CAFile verifies the server; CertFile and KeyFile show who we are. PEM, read
	// again for each connection.
	CAFile   string `env:"NATS_CA_FILE"`
	CertFile string `env:"NATS_CERT_FILE"`
	KeyFile  string `env:"NATS_KEY_FILE"`
	// Replicas of the service's own stream: 1, 3 or 5.
	Replicas int `env:"NATS_STREAM_REPLICAS" envDefault:"1"`
}

// Validate checks the settings, without touching the network.
func (c Config) Validate() error {
	var errs []error
	for server := range strings.SplitSeq(c.URL, ",") {
		if u, err := url.Parse(strings.TrimSpace(server)); err != nil || u.Host == "" {
			errs = append(errs, fmt.Errorf("NATS_URL: %q is not a server URL", server))
		}
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		errs = append(errs, errors.New("NATS_CERT_FILE and NATS_KEY_FILE go together"))
	}
	if c.CertFile != "" && c.CAFile == "" {
		errs = append(errs, errors.New("NATS_CERT_FILE needs NATS_CA_FILE"))
	}
	if c.Password != "" && c.User == "" {
		errs = append(errs, errors.New("NATS_PASSWORD needs NATS_USER"))
	}
	if c.Replicas != 1 && c.Replicas != 3 && c.Replicas != 5 {
		errs = append(errs, errors.New("NATS_STREAM_REPLICAS must be 1, 3 or 5"))
	}
	return errors.Join(errs...)
}

// StreamOf names the stream of a service, such as FLEDGE_WAITLIST.
func StreamOf(serviceName string) string { return "FLEDGE_" + strings.ToUpper(serviceName) }

// InboxOf is where answers to a service arrive, which nobody else may listen to.
func InboxOf(serviceName string) string { return "_INBOX." + serviceName }

func (c Config) options(rt *service.Runtime) ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name(rt.Name),
		nats.CustomInboxPrefix(InboxOf(rt.Name)),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		// A rotated password must not end the connection for good.
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, 250*time.Millisecond),
		// The outbox is the buffer; one in memory would only hide a failure.
		nats.ReconnectBufSize(-1),
		nats.Timeout(2 * time.Second),
		// Finds a server that has stopped without closing in 4 to 6 s.
		nats.PingInterval(2 * time.Second),
		nats.MaxPingsOutstanding(2),
	}
	if c.User != "" {
		opts = append(opts, nats.UserInfo(c.User, c.Password.Reveal()))
	}
	secure, err := c.secure(rt)
	return append(opts, secure...), err
}

func (c Config) secure(rt *service.Runtime) ([]nats.Option, error) {
	if c.CAFile == "" {
		return nil, nil
	}
	modern := nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13})
	if c.CertFile == "" {
		return []nats.Option{modern, nats.RootCAs(c.CAFile)}, nil
	}
	source, err := certs.Open(certs.Files{Cert: c.CertFile, Key: c.KeyFile, CA: c.CAFile}, "nats", rt)
	if err != nil {
		return nil, err
	}
	return []nats.Option{modern, nats.ClientTLSConfig(
		func() (tls.Certificate, error) { return source.Config().Certificates[0], nil },
		func() (*x509.CertPool, error) { return source.Config().RootCAs, nil },
	)}, nil
}
