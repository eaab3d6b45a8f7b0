package certs_test

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/certs"
	"fledge.dev/services/platform/certstest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// mount is a folder as Kubernetes mounts a secret: the files are links through
// "..data", which is swapped.
type mount struct {
	t   *testing.T
	ca  *certstest.Authority
	dir string
	n   int
}

func newMount(t *testing.T) *mount {
	t.Helper()
	ca, err := certstest.New(48 * time.Hour)
	errtest.None(t, err)
	m := &mount{t: t, ca: ca, dir: t.TempDir()}
	m.swap("billing", time.Hour)
	for _, name := range []string{certstest.CertFile, certstest.KeyFile, certstest.CAFile} {
		m.must(os.Symlink(filepath.Join("..data", name), filepath.Join(m.dir, name)))
	}
	return m
}

func (m *mount) must(err error) {
	m.t.Helper()
	errtest.None(m.t, err)
}

// swap puts a new certificate in the place of the one before, at once.
func (m *mount) swap(name string, lifetime time.Duration, spoil ...string) {
	m.t.Helper()
	m.put(certstest.Leaf{Name: name, Lifetime: lifetime}, spoil...)
}

func (m *mount) put(leaf certstest.Leaf, spoil ...string) {
	m.t.Helper()
	m.n++
	version := "version" + string(rune('0'+m.n))
	m.must(m.ca.Write(filepath.Join(m.dir, version), leaf))
	for _, file := range spoil {
		m.must(os.WriteFile(filepath.Join(m.dir, version, file), []byte("spoilt"), 0o600))
	}
	m.must(os.Symlink(version, filepath.Join(m.dir, "..new")))
	m.must(os.Rename(filepath.Join(m.dir, "..new"), filepath.Join(m.dir, "..data")))
}

func (m *mount) files() certs.Files {
	path := func(name string) string { return filepath.Join(m.dir, name) }
	return certs.Files{Cert: path(certstest.CertFile), Key: path(certstest.KeyFile), CA: path(certstest.CAFile)}
}

func name(cfg *tls.Config) string { return cfg.Certificates[0].Leaf.DNSNames[0] }

// metrics are the values of a runtime's metrics by name and outcome.
func metrics(t *testing.T, rt *service.Runtime) map[string]float64 {
	t.Helper()
	families, err := rt.Metrics.Gather()
	errtest.None(t, err)
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			key := family.GetName()
			for _, label := range m.GetLabel() {
				if label.GetName() == "outcome" {
					key += " " + label.GetValue()
				}
			}
			values[key] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return values
}

func TestANewCertificateCountsAtOnceAndABadOneNever(t *testing.T) {
	m := newMount(t)
	var log bytes.Buffer
	rt := service.NewRuntime("billing", "test", slog.New(slog.NewTextHandler(&log, nil)))
	source, err := certs.Open(m.files(), "grpc", rt)
	m.must(err)
	if got := name(source.Config()); got != "billing" {
		t.Fatal(got)
	}
	for _, outcome := range []string{"ok", "bad"} {
		if reloads, there := metrics(t, rt)["tls_certificate_reloads_total "+outcome]; !there || reloads != 0 {
			t.Errorf("before the first change: %v %s, %t", reloads, outcome, there)
		}
	}
	m.swap("second", 24*time.Hour)
	if got := name(source.Config()); got != "second" {
		t.Errorf("after the swap: %s", got)
	}
	for what, spoil := range map[string]func(){
		"no certificate":       func() { m.swap("x", time.Hour, certstest.CertFile) },
		"another's key":        func() { m.swap("x", time.Hour, certstest.KeyFile) },
		"no authority":         func() { m.swap("x", time.Hour, certstest.CAFile) },
		"one that has ended":   func() { m.swap("x", -time.Minute) },
		"files that are gone":  func() { m.must(os.Rename(filepath.Join(m.dir, "..data"), filepath.Join(m.dir, "..gone"))) },
		"only one that is bad": func() { m.swap("x", -time.Minute); source.Config() },
	} {
		log.Reset()
		spoil()
		for range 2 {
			if got := name(source.Config()); got != "second" {
				t.Errorf("%s is taken: %s", what, got)
			}
		}
		if n := strings.Count(log.String(), "the last good ones stay"); n != 1 {
			t.Errorf("%s: told %d times: %s", what, n, log.String())
		}
	}
	values := metrics(t, rt)
	left := time.Until(time.Unix(int64(values["tls_certificate_expiry_timestamp_seconds"]), 0))
	if left < 23*time.Hour || left > 24*time.Hour || values["tls_certificate_reloads_total ok"] != 1 || values["tls_certificate_reloads_total bad"] != 6 {
		t.Errorf("%s left, %v", left, values)
	}
	// Nobody connects: the metrics alone notice the new files.
	m.swap("renewed", 2*time.Hour)
	if left := time.Until(time.Unix(int64(metrics(t, rt)["tls_certificate_expiry_timestamp_seconds"]), 0)); left > 2*time.Hour {
		t.Errorf("%s left after the change", left)
	}
	if got := name(source.Config()); got != "renewed" {
		t.Errorf("after the change: %s", got)
	}
}

// TestACertificateThatIsNotValidYetCountsOnceItIs: this clock may be a little behind the issuer's.
func TestACertificateThatIsNotValidYetCountsOnceItIs(t *testing.T) {
	m := newMount(t)
	rt := service.NewRuntime("billing", "test", slog.New(slog.DiscardHandler))
	source, err := certs.Open(m.files(), "grpc", rt)
	m.must(err)
	m.put(certstest.Leaf{Name: "renewed", Lifetime: time.Hour, Begins: 2 * time.Second})
	if got := name(source.Config()); got != "billing" {
		t.Fatalf("it is taken before it is valid: %s", got)
	}
	waittest.Eventually(t, "it is taken", func() bool { return name(source.Config()) == "renewed" })
	if values := metrics(t, rt); values["tls_certificate_reloads_total bad"] != 1 || values["tls_certificate_reloads_total ok"] != 1 {
		t.Errorf("%v", values)
	}
}

// TestFilesThatCouldNotBeReadAreReadAgain: what mends them, such as a volume that answers again, changes
// neither their size nor their time.
func TestFilesThatCouldNotBeReadAreReadAgain(t *testing.T) {
	m := newMount(t)
	rt := service.NewRuntime("billing", "test", slog.New(slog.DiscardHandler))
	source, err := certs.Open(m.files(), "grpc", rt)
	m.must(err)
	m.swap("renewed", time.Hour)
	key := m.files().Key
	good, err := os.ReadFile(key)
	m.must(err)
	before, err := os.Stat(key)
	m.must(err)
	write := func(content []byte) {
		m.must(os.WriteFile(key, content, 0o600))
		m.must(os.Chtimes(key, before.ModTime(), before.ModTime()))
	}
	write(bytes.Repeat([]byte("x"), len(good)))
	if got := name(source.Config()); got != "billing" {
		t.Fatalf("it is taken without its key: %s", got)
	}
	write(good)
	waittest.Eventually(t, "it is taken", func() bool { return name(source.Config()) == "renewed" })
}

func TestOneUseHasOneSource(t *testing.T) {
	m := newMount(t)
	rt := service.NewRuntime("billing", "test", slog.New(slog.DiscardHandler))
	server, err := certs.Open(m.files(), "grpc", rt)
	m.must(err)
	client, err := certs.Open(m.files(), "grpc", rt)
	m.must(err)
	if server != client {
		t.Error("two sources for one use")
	}
	other := m.files()
	other.CA = other.Cert
	if _, err := certs.Open(other, "grpc", rt); err == nil {
		t.Error("one use with two sets of files")
	}
	if _, err := certs.Open(other, "nats", rt); err != nil {
		t.Error(err)
	}
}

func TestOpenNeedsGoodFiles(t *testing.T) {
	m := newMount(t)
	m.swap("billing", -time.Minute)
	rt := service.NewRuntime("billing", "test", slog.New(slog.DiscardHandler))
	if _, err := certs.Open(m.files(), "grpc", rt); err == nil || !strings.Contains(err.Error(), "not now") {
		t.Errorf("one that has ended: %v", err)
	}
	m.swap("billing", time.Hour)
	if _, err := certs.Open(m.files(), "grpc", rt); err != nil {
		t.Errorf("after the change: %v", err)
	}
}
