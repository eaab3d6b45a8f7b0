// Package certs loads a process's certificate and the authorities that it trusts from
// files, and reloads them without a restart.
//
// It looks at the files when a connection is made and when the metrics are read, so a
// change applies to the next connection. Files may change one by one or by a swapped
// link, as in Kubernetes: the last good ones stay in use until certificate and key match,
// are valid now, and the authorities can be read.
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/service"
)

// Files names PEM files.
type Files struct {
	// Cert holds the certificate with its intermediates, Key its key.
	Cert, Key string
	// CA holds the authorities that the other side's certificate must come from:
	// two of them while one takes the place of the other.
	CA string
}

// Source is what the files held when they were last good. It is safe for
// concurrent use.
type Source struct {
	use     string
	files   Files
	log     *slog.Logger
	expiry  *prometheus.Desc
	reloads *prometheus.CounterVec

	mu     sync.Mutex
	seen   [3]os.FileInfo // at the last look
	loaded material
	// retry is when files that were not good are read again, although they are the same: a
	// certificate may only not be valid yet, by a clock that is a little behind. Zero if they
	// are good.
	retry time.Time
}

// retryPause is the least time between two tries to read files that were not good.
const retryPause = time.Second

type material struct {
	cert *tls.Certificate
	pool *x509.CertPool
}

// Open reads the files, which must be good. use is what the certificate is for,
// such as "grpc", and labels its metrics. Opening the same again in one runtime gives
// the same Source.
func Open(files Files, use string, rt *service.Runtime) (*Source, error) {
	labels := prometheus.Labels{"use": use}
	s := &Source{
		use: use, files: files, log: rt.Log.With("use", use),
		expiry: prometheus.NewDesc("tls_certificate_expiry_timestamp_seconds", "When the certificate in use ends, in seconds since 1970.", nil, labels),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tls_certificate_reloads_total", Help: "Changes of the certificate files that were taken (ok) or could not be (bad).", ConstLabels: labels,
		}, []string{"outcome"}),
	}
	for _, outcome := range []string{"ok", "bad"} {
		s.reloads.WithLabelValues(outcome) // is there before the first change
	}
	if err := rt.Metrics.Register(s); err != nil {
		known, ok := errors.AsType[prometheus.AlreadyRegisteredError](err)
		if existing, same := known.ExistingCollector.(*Source); ok && same && existing.files == files {
			return existing, nil
		}
		return nil, fmt.Errorf("certs: %s: %w", use, err)
	}
	s.seen = s.look()
	loaded, err := files.read()
	if err != nil {
		rt.Metrics.Unregister(s)
		return nil, fmt.Errorf("certs: %s: %w", use, err)
	}
	s.loaded = loaded
	return s, nil
}

// Config returns the settings of one connection. TLS 1.3 is the only version, and
// nothing of an earlier connection is resumed: a new certificate counts at once.
func (s *Source) Config() *tls.Config {
	now := s.current()
	return &tls.Config{
		Certificates: []tls.Certificate{*now.cert}, RootCAs: now.pool, ClientCAs: now.pool,
		MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true,
	}
}

// current is what the files hold, or held when they were last good.
func (s *Source) current() material {
	s.mu.Lock()
	defer s.mu.Unlock()
	looked := s.look()
	changed := !same(looked, s.seen)
	if !changed && (s.retry.IsZero() || time.Now().Before(s.retry)) {
		return s.loaded
	}
	// Looked at before they are read: a change in between is found the next time.
	loaded, err := s.files.read()
	s.seen = looked
	if err != nil {
		s.retry = time.Now().Add(retryPause)
	}
	if err != nil && !changed {
		return s.loaded // it is known
	}
	if err != nil {
		s.reloads.WithLabelValues("bad").Inc()
		s.log.Error("certificate files have changed and cannot be used, the last good ones stay", "error", err, "expires", s.loaded.cert.Leaf.NotAfter)
		return s.loaded
	}
	s.loaded, s.retry = loaded, time.Time{}
	s.reloads.WithLabelValues("ok").Inc()
	s.log.Info("certificate reloaded", "names", loaded.cert.Leaf.DNSNames, "expires", loaded.cert.Leaf.NotAfter)
	return s.loaded
}

func (s *Source) look() (found [3]os.FileInfo) {
	for i, name := range []string{s.files.Cert, s.files.Key, s.files.CA} {
		found[i], _ = os.Stat(name) // a file that is missing reads as changed
	}
	return found
}

func same(a, b [3]os.FileInfo) bool {
	for i := range a {
		if a[i] == nil || b[i] == nil {
			if a[i] != b[i] {
				return false
			}
			continue
		}
		if !os.SameFile(a[i], b[i]) || a[i].Size() != b[i].Size() || !a[i].ModTime().Equal(b[i].ModTime()) {
			return false
		}
	}
	return true
}

func (f Files) read() (material, error) {
	cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return material{}, err
	}
	if now := time.Now(); now.After(cert.Leaf.NotAfter) || now.Before(cert.Leaf.NotBefore) {
		return material{}, fmt.Errorf("%s is valid from %s to %s, which is not now", f.Cert, cert.Leaf.NotBefore.Format(time.RFC3339), cert.Leaf.NotAfter.Format(time.RFC3339))
	}
	pem, err := os.ReadFile(f.CA)
	if err != nil {
		return material{}, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return material{}, fmt.Errorf("%s holds no certificate", f.CA)
	}
	return material{&cert, pool}, nil
}

// Describe and Collect make a Source a collector of its own metrics.
func (s *Source) Describe(ch chan<- *prometheus.Desc) {
	ch <- s.expiry
	s.reloads.Describe(ch)
}

// Collect looks at the files, too: a process that makes no connections still notices.
func (s *Source) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(s.expiry, prometheus.GaugeValue, float64(s.current().cert.Leaf.NotAfter.Unix()))
	s.reloads.Collect(ch)
}
