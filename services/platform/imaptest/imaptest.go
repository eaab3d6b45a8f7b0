// Package imaptest gives a test a real IMAP server on a loopback port, with the mailbox of one
// person. It must not be imported outside tests.
package imaptest

import (
	"bytes"
	"crypto/tls"
	"net"
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
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mailboxes.NewSession(), nil, nil
		},
		Caps: caps, TLSConfig: config, InsecureAuth: config == nil, Logger: silent{},
	}}
	s.Restart()
	t.Cleanup(s.Stop)
	return s
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
