package natsserver_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/deploy/local/natsserver"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/services"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/certstest"
	"fledge.dev/services/platform/errtest"
)

// rig is a server with the product's users, each of whose password is its name.
type rig struct {
	t    *testing.T
	dir  string
	port int
	// monitor is the URL of the server's own statistics.
	monitor string
	config  string
	server  *natsserver.Server
}

// newRig is a rig whose server has further settings.
func newRig(t *testing.T, settings ...string) *rig {
	t.Helper()
	alloc := ports.New()
	port, err := alloc.Port()
	errtest.None(t, err)
	monitor, err := alloc.Port()
	errtest.None(t, err)
	r := &rig{t: t, dir: t.TempDir(), port: port, monitor: "http://" + ports.Loopback(monitor)}
	r.config = filepath.Join(r.dir, "nats.conf")
	ca := newAuthority(t)
	r.issue(ca, "nats")
	r.issue(ca, "client")
	options := natsserver.Options{
		Name: "fledge", Port: port, StoreDir: filepath.Join(r.dir, `store with "quotes"`), LogFile: filepath.Join(r.dir, "log"),
		TLS:       natsserver.TLS{CertFile: r.file("nats", certstest.CertFile), KeyFile: r.file("nats", certstest.KeyFile), CAFile: r.file("nats", certstest.CAFile)},
		Passwords: map[string]string{},
	}
	for _, name := range services.Names() {
		options.Passwords[name] = name
	}
	content, err := options.Config()
	errtest.None(t, err)
	content = fmt.Appendf(content, "\nhttp: \"127.0.0.1:%d\"\n%s\n", monitor, strings.Join(settings, "\n")) // http shows the server's settings and state
	errtest.None(t, os.WriteFile(r.config, content, 0o600))
	r.start()
	t.Cleanup(r.stop)
	return r
}

func newAuthority(t *testing.T) *certstest.Authority {
	t.Helper()
	ca, err := certstest.New(time.Hour)
	errtest.None(t, err)
	return ca
}

func (r *rig) issue(ca *certstest.Authority, name string) {
	r.t.Helper()
	leaf := certstest.Leaf{Name: name, IPs: []net.IP{net.IPv4(127, 0, 0, 1)}, Lifetime: time.Hour}
	errtest.None(r.t, ca.Write(filepath.Join(r.dir, name), leaf))
}

func (r *rig) file(name, file string) string { return filepath.Join(r.dir, name, file) }

func (r *rig) start() {
	r.t.Helper()
	server, err := natsserver.Start(r.config)
	errtest.None(r.t, err)
	r.server = server
}

func (r *rig) stop() {
	if err := r.server.Stop(r.t.Context()); err != nil {
		r.t.Error(err)
	}
}

// dial connects with the certificate of a folder; "" shows none.
func (r *rig) dial(cert string, options ...nats.Option) (*nats.Conn, error) {
	// The tests look for refusals themselves, see refused.
	quiet := func(*nats.Conn, *nats.Subscription, error) {}
	options = append(options, nats.ErrorHandler(quiet), nats.RootCAs(r.file("nats", certstest.CAFile)), nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13}))
	if cert != "" {
		options = append(options, nats.ClientCert(r.file(cert, certstest.CertFile), r.file(cert, certstest.KeyFile)))
	}
	return nats.Connect("nats://127.0.0.1:"+strconv.Itoa(r.port), options...)
}

// connect is a service's connection.
func (r *rig) connect(service string) (*nats.Conn, jetstream.JetStream) {
	r.t.Helper()
	nc, err := r.dial("client", nats.UserInfo(service, service), nats.CustomInboxPrefix(bus.InboxOf(service)))
	errtest.None(r.t, err)
	r.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(10*time.Second))
	errtest.None(r.t, err)
	return nc, js
}

// own makes the service's stream.
func (r *rig) own(js jetstream.JetStream, service string) jetstream.Stream {
	r.t.Helper()
	stream, err := js.CreateOrUpdateStream(r.t.Context(), jetstream.StreamConfig{
		Name: bus.StreamOf(service), Subjects: []string{"fledge." + service + ".>"}, Storage: jetstream.FileStorage,
	})
	if err != nil {
		r.t.Fatalf("%s: %v", service, err)
	}
	return stream
}

func (r *rig) publish(js jetstream.JetStream, subject string) {
	r.t.Helper()
	if _, err := js.Publish(r.t.Context(), subject, []byte("x")); err != nil {
		r.t.Fatalf("%s: %v", subject, err)
	}
}

// refused reports whether the server has forbidden what do sends: it says so before it
// answers the flush.
func (r *rig) refused(nc *nats.Conn, subject string, do func() error) bool {
	r.t.Helper()
	errtest.None(r.t, do())
	errtest.None(r.t, nc.FlushTimeout(10*time.Second))
	last := nc.LastError()
	return last != nil && strings.Contains(strings.ToLower(last.Error()), "permissions violation") && strings.Contains(last.Error(), `"`+subject+`"`)
}

// code is the error code of a JetStream answer, "" if it is none.
func code(answer []byte) string {
	var reply struct {
		Error struct{ Code int }
	}
	if err := json.Unmarshal(answer, &reply); err != nil || reply.Error.Code == 0 {
		return ""
	}
	return strconv.Itoa(reply.Error.Code)
}
