package mailbox

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"fledge.dev/services/platform/certstest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/imaptest"
	"fledge.dev/services/platform/mail"
)

// TestTheServerIsVerified before it gets the password.
func TestTheServerIsVerified(t *testing.T) {
	authority, err := certstest.New(time.Hour)
	errtest.None(t, err)
	dir := t.TempDir()
	files, err := authority.Issue(certstest.Leaf{Name: "localhost", Lifetime: time.Hour})
	errtest.None(t, err)
	pair, err := tls.X509KeyPair(files[certstest.CertFile], files[certstest.KeyFile])
	errtest.None(t, err)
	ca := filepath.Join(dir, "ca.crt")
	errtest.None(t, os.WriteFile(ca, authority.PEM(), 0o600))
	server := imaptest.Start(t, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, imap.CapMove)
	cfg := settings(server)
	_, port, err := net.SplitHostPort(server.Addr())
	errtest.None(t, err)
	cfg.Addr, cfg.TLS, cfg.CAFile = "localhost:"+port, mail.TLSStart, ca
	if err := open(t, cfg, newTickets()).Run(t.Context()); err != nil {
		t.Errorf("with its authority: %v", err)
	}
	for name, change := range map[string]func(*Config){
		"another authority": func(c *Config) { c.CAFile = "" },
		"another name":      func(c *Config) { c.Addr = server.Addr() },
		"without TLS":       func(c *Config) { c.TLS = mail.TLSNone },
	} {
		wrong := cfg
		change(&wrong)
		if err := open(t, wrong, newTickets()).Run(t.Context()); err == nil {
			t.Errorf("%s: signed in", name)
		}
	}
}
