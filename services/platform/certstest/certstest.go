// Package certstest is a certificate authority whose files are in a folder, for tests and for
// the local stack. Production uses a real one.
package certstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// The files of a certificate's folder have the names of a Kubernetes TLS secret.
const (
	CertFile = "tls.crt"
	KeyFile  = "tls.key"
	CAFile   = "ca.crt"
)

// skew is how far the clocks of two machines may differ.
const skew = 5 * time.Minute

// Authority issues certificates.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// New returns an authority that nobody knows yet, for certificates of at most the
// given time. Its key is never written.
func New(lifetime time.Duration) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("certstest: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "Fledge, one machine"},
		NotBefore: time.Now().Add(-skew), NotAfter: time.Now().Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("certstest: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("certstest: %w", err)
	}
	return &Authority{cert, key, block("CERTIFICATE", der)}, nil
}

// PEM is the authority's own certificate.
func (a *Authority) PEM() []byte { return a.pem }

// Leaf describes a certificate for both ends of connections.
type Leaf struct {
	// Name is the service that it speaks for.
	Name string
	// Hosts are further DNS names, where others look for the host and not for the service.
	Hosts []string
	// IPs are further addresses at which it may be reached.
	IPs []net.IP
	// Lifetime from now; a negative one has ended.
	Lifetime time.Duration
	// Begins is how long from now it is not valid yet; 0 is none.
	Begins time.Duration
}

// Write issues a certificate into dir, which is made if need be, as Issue does.
func (a *Authority) Write(dir string, leaf Leaf, trusted ...*Authority) error {
	files, err := a.Issue(leaf, trusted...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("certstest: %w", err)
	}
	var errs []error
	for _, name := range []string{CAFile, KeyFile, CertFile} {
		errs = append(errs, replace(filepath.Join(dir, name), files[name]))
	}
	return errors.Join(errs...)
}

// Issue returns the files of a certificate by their names: itself, its key, and the
// certificates of the authorities that its holder shall trust, a's own and more.
func (a *Authority) Issue(leaf Leaf, trusted ...*Authority) (map[string][]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("certstest: %w", err)
	}
	begins := min(0, leaf.Lifetime) - skew
	if leaf.Begins > 0 {
		begins = leaf.Begins
	}
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: leaf.Name}, DNSNames: append([]string{leaf.Name}, leaf.Hosts...), IPAddresses: leaf.IPs,
		NotBefore: time.Now().Add(begins), NotAfter: time.Now().Add(leaf.Lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("certstest: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("certstest: %w", err)
	}
	cas := a.pem
	for _, other := range trusted {
		cas = append(cas[:len(cas):len(cas)], other.pem...)
	}
	return map[string][]byte{CAFile: cas, KeyFile: block("PRIVATE KEY", private), CertFile: block("CERTIFICATE", cert)}, nil
}

// replace never leaves a part of a file to be read.
func replace(path string, content []byte) error {
	unfinished := path + ".new"
	if err := os.WriteFile(unfinished, content, 0o600); err != nil {
		return fmt.Errorf("certstest: %w", err)
	}
	return os.Rename(unfinished, path)
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func serial() *big.Int {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the process instead
	return new(big.Int).SetBytes(random[:])
}
