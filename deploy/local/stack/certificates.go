package stack

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"time"

	"fledge.dev/services"
	"fledge.dev/services/platform/certstest"
)

// certificateLifetime is longer than a stack runs. Every start creates new certificates,
// under an authority whose key is never written to disk.
const certificateLifetime = 30 * 24 * time.Hour

// certificate names the files of one holder.
type certificate struct{ cert, key, ca string }

// startAuthority gives the services, the gateway, NATS and PostgreSQL certificates with
// which they authenticate each other.
func (s *Stack) startAuthority(context.Context) error {
	ca, err := certstest.New(certificateLifetime)
	if err != nil {
		return err
	}
	s.certificates = map[string]certificate{}
	var errs []error
	for _, holder := range append(services.Names(), gatewayName, natsName, postgresName) {
		leaf := certstest.Leaf{Name: holder, Lifetime: certificateLifetime}
		if holder == natsName || holder == postgresName { // these are known by their address
			leaf.IPs = []net.IP{net.IPv4(127, 0, 0, 1)}
		}
		dir := s.opts.State.Path("secrets", "tls", holder)
		errs = append(errs, ca.Write(dir, leaf))
		s.certificates[holder] = certificate{
			cert: filepath.Join(dir, certstest.CertFile), key: filepath.Join(dir, certstest.KeyFile), ca: filepath.Join(dir, certstest.CAFile),
		}
	}
	return errors.Join(errs...)
}

// tlsSettings are a service's own certificate, for its server and its calls.
func (s *Stack) tlsSettings(service string) []string {
	own := s.certificates[service]
	return []string{"GRPC_TLS_CERT_FILE=" + own.cert, "GRPC_TLS_KEY_FILE=" + own.key, "GRPC_TLS_CA_FILE=" + own.ca}
}
