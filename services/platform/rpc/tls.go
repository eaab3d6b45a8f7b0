package rpc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// TLSConfig names PEM files for mutual TLS between services. All empty means
// plain text, which is right only where the network is already trusted, such as
// the loopback interface.
type TLSConfig struct {
	CertFile string `env:"CERT_FILE"`
	KeyFile  string `env:"KEY_FILE"`
	// CAFile holds the authority that both sides' certificates must come from.
	CAFile string `env:"CA_FILE"`
}

// Validate checks that the three files come together.
func (c TLSConfig) Validate() error {
	if (c.CertFile == "") != (c.KeyFile == "") || (c.CertFile == "") != (c.CAFile == "") {
		return errors.New("TLS needs all three of CERT_FILE, KEY_FILE and CA_FILE, or none")
	}
	return nil
}

func (c TLSConfig) serverCredentials() (credentials.TransportCredentials, error) {
	base, err := c.load()
	if base == nil {
		return insecure.NewCredentials(), err
	}
	base.ClientCAs, base.ClientAuth = base.RootCAs, tls.RequireAndVerifyClientCert
	return credentials.NewTLS(base), nil
}

func (c TLSConfig) clientCredentials() (credentials.TransportCredentials, error) {
	base, err := c.load()
	if base == nil {
		return insecure.NewCredentials(), err
	}
	return credentials.NewTLS(base), nil
}

func (c TLSConfig) load() (*tls.Config, error) {
	if c.CertFile == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("rpc: %w", err)
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("rpc: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("rpc: %s holds no certificate", c.CAFile)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, RootCAs: pool, MinVersion: tls.VersionTLS13}, nil
}
