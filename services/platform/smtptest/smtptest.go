// Package smtptest gives a test a real SMTP server on a loopback port that can
// refuse, be stopped, and be started again. It must not be imported outside tests.
package smtptest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// Delivery is one message that a client handed over.
type Delivery struct {
	// HELO is the name by which the client greeted.
	HELO     string
	From, To string
	// UTF8 is whether the client asked for SMTPUTF8.
	UTF8   bool
	Header mail.Header
	// Source is the message with its header.
	Source string
}

// Server takes mail and remembers what it has answered with 250.
type Server struct {
	t    testing.TB
	addr string
	tls  *tls.Config

	mu        sync.Mutex
	server    *smtp.Server
	listener  net.Listener
	done      chan error
	accepted  []Delivery
	hello     func() error
	recipient func(address string) error
	deliver   func(Delivery) error
}

// Start starts a server that stops with the test. With a TLS configuration it
// offers STARTTLS.
func Start(t testing.TB, config *tls.Config) *Server {
	t.Helper()
	s := &Server{t: t, addr: "127.0.0.1:0", tls: config}
	t.Cleanup(s.Stop)
	s.Restart()
	return s
}

// Refusal is what a hook returns to answer a command with a code of RFC 5321. The
// enhanced code that the server puts before the message says nothing.
func Refusal(code int, message string) error { return EnhancedRefusal(code, 0, 0, message) }

// EnhancedRefusal is a Refusal with an enhanced code of RFC 3463, such as 550 5.4.5.
func EnhancedRefusal(code, subject, detail int, message string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, subject, detail}, Message: message}
}

// OnHello is asked about every client that greets; nil accepts all.
func (s *Server) OnHello(hook func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hello = hook
}

// OnRecipient is asked about every RCPT TO; nil accepts all.
func (s *Server) OnRecipient(hook func(address string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recipient = hook
}

// OnDeliver is asked about every message before it is answered; nil accepts all.
func (s *Server) OnDeliver(hook func(Delivery) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliver = hook
}

// Addr is the host:port of the server, also while it is stopped.
func (s *Server) Addr() string { return s.addr }

// Accepted returns what was answered with 250, oldest first.
func (s *Server) Accepted() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Delivery(nil), s.accepted...)
}

// Stop closes the port and all connections. Stopping a stopped server does nothing.
func (s *Server) Stop() {
	s.mu.Lock()
	server, listener, done := s.server, s.listener, s.done
	s.server = nil
	s.mu.Unlock()
	if server == nil {
		return
	}
	err := server.Close()
	_ = listener.Close() // closed already, unless the server has not come to serve it yet
	if serving := <-done; !errors.Is(serving, smtp.ErrServerClosed) {
		err = errors.Join(err, serving)
	}
	if err != nil {
		s.t.Errorf("smtptest: %v", err)
	}
}

// Restart opens the old port again and keeps what was accepted.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.t.Fatalf("smtptest: %v", err)
	}
	server := smtp.NewServer(smtp.BackendFunc(s.greet))
	server.EnableSMTPUTF8 = true
	server.Domain = "localhost"
	server.TLSConfig = s.tls
	done := make(chan error, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addr, s.server, s.listener, s.done = listener.Addr().String(), server, listener, done
	go func() { done <- server.Serve(listener) }()
}

func (s *Server) greet(client *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	hook := s.hello
	s.mu.Unlock()
	if hook != nil {
		if err := hook(); err != nil {
			return nil, err
		}
	}
	return &session{server: s, helo: client.Hostname()}, nil
}

type session struct {
	server   *Server
	helo     string
	delivery Delivery
}

func (c *session) Mail(from string, opts *smtp.MailOptions) error {
	c.delivery.HELO, c.delivery.From, c.delivery.UTF8 = c.helo, from, opts.UTF8
	return nil
}

func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.delivery.To = to
	c.server.mu.Lock()
	hook := c.server.recipient
	c.server.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(to)
}

func (c *session) Data(r io.Reader) error {
	source, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	c.delivery.Source = string(source)
	if parsed, err := mail.ReadMessage(strings.NewReader(c.delivery.Source)); err == nil {
		c.delivery.Header = parsed.Header
	}
	c.server.mu.Lock()
	hook := c.server.deliver
	c.server.mu.Unlock()
	if hook != nil {
		if err := hook(c.delivery); err != nil {
			return err
		}
	}
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.server.accepted = append(c.server.accepted, c.delivery)
	return nil
}

func (c *session) Reset() { c.delivery = Delivery{} }

func (c *session) Logout() error { return nil }
