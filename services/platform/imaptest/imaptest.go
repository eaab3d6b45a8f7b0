// Package imaptest gives a test a real IMAP server on a loopback port, with the mailbox of one
// person. It must not be imported outside tests.
package imaptest

import (
	"bytes"
	"crypto/tls"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"

	"fledge.dev/services/platform/errtest"
)

// The person who signs in.
const (
	User     = "support@fledge.example"
	Password = "a password of a mailbox"
	inbox    = "INBOX"
)

// Server keeps mails while it is stopped.
type Server struct {
	t      testing.TB
	addr   string
	user   *imapmemserver.User
	opts   imapserver.Options
	server *imapserver.Server
	ended  chan struct{}
	prefix string
}

// silent drops what the server says of connections that break.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Start starts a server that stops with the test. With a TLS configuration it offers STARTTLS. It
// has the extensions besides IMAP4rev1.
func Start(t testing.TB, config *tls.Config, extensions ...imap.Cap) *Server {
	t.Helper()
	mailboxes := imapmemserver.New()
	user := imapmemserver.NewUser(User, Password)
	mailboxes.AddUser(user)
	errtest.None(t, user.Create(inbox, nil))
	caps := imap.CapSet{imap.CapIMAP4rev1: {}}
	for _, extension := range extensions {
		caps[extension] = struct{}{}
	}
	s := &Server{t: t, addr: "127.0.0.1:0", user: user, opts: imapserver.Options{
		Caps: caps, TLSConfig: config, InsecureAuth: config == nil, Logger: silent{},
	}}
	s.opts.NewSession = func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
		return session{mailboxes.NewSession().(imapserver.SessionIMAP4rev2), s.prefix}, nil, nil
	}
	s.Restart()
	t.Cleanup(s.Stop)
	return s
}

// session is that of a server that may want a prefix before the names of folders.
type session struct {
	imapserver.SessionIMAP4rev2
	prefix string
}

func (s session) Namespace() (*imap.NamespaceData, error) {
	return &imap.NamespaceData{Personal: []imap.NamespaceDescriptor{{Prefix: s.prefix, Delim: '.'}}}, nil
}

func (s session) Create(name string, options *imap.CreateOptions) error {
	if !strings.HasPrefix(name, s.prefix) {
		return &imap.Error{Type: imap.StatusResponseTypeNo, Text: "The name should be prefixed with " + s.prefix}
	}
	return s.SessionIMAP4rev2.Create(name, options)
}

// WithPrefix starts the server again, with folders that begin with the prefix, but for the inbox.
func (s *Server) WithPrefix(prefix string) {
	s.t.Helper()
	s.Stop()
	s.addr, s.prefix = "127.0.0.1:0", prefix
	s.Restart()
}

// Addr is the host:port of the server, also while it is stopped.
func (s *Server) Addr() string { return s.addr }

// Stop closes the port and all connections. Stopping a stopped server does nothing.
func (s *Server) Stop() {
	if s.server == nil {
		return
	}
	_ = s.server.Close() // says that the port is closed twice
	<-s.ended
	s.server = nil
}

// Restart opens the port again.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	listener, err := net.Listen("tcp", s.addr)
	errtest.None(s.t, err)
	server, ended := imapserver.New(&s.opts), make(chan struct{})
	s.addr, s.server, s.ended = listener.Addr().String(), server, ended
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // ends when it is stopped
	}()
}

// Deliver puts a mail into the inbox.
func (s *Server) Deliver(mail []byte) {
	s.t.Helper()
	if _, err := s.user.Append(inbox, bytes.NewReader(mail), &imap.AppendOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// Mails is how many mails a folder has; none if there is no such folder.
func (s *Server) Mails(folder string) int {
	status, err := s.user.Status(folder, &imap.StatusOptions{NumMessages: true})
	if err != nil {
		return 0
	}
	return int(*status.NumMessages)
}
