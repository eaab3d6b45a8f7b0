package waitlist_test

import (
	"io"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"fledge.dev/services/platform/errtest"
)

// mailbox is an SMTP server that keeps what it has acknowledged.
type mailbox struct {
	addr string

	mu     sync.Mutex
	emails []*netmail.Message
	bodies []string
	// stalled, while set, is told of each email that arrives; the email is then
	// neither taken nor refused until dropped is closed.
	stalled chan struct{}
	dropped chan struct{}
	// refused is an address that does not exist.
	refused string
}

// refuse makes an address one that does not exist; "" none.
func (m *mailbox) refuse(address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = address
}

func (m *mailbox) rcpt(address string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refused != address {
		return nil
	}
	return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such user"}
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(t, err)
	m := &mailbox{addr: listener.Addr().String()}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return session{m}, nil }))
	server.Domain = "mail.example.com"
	server.ErrorLog = quiet{}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return m
}

// stall makes the server hang on emails. It returns a channel that is told of each, and
// drop, which refuses those that hang for the moment and takes later ones again.
func (m *mailbox) stall() (arrived <-chan struct{}, drop func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stalled, m.dropped = make(chan struct{}, 16), make(chan struct{})
	return m.stalled, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		close(m.dropped)
		m.stalled, m.dropped = nil, nil
	}
}

// to returns the emails for an address, and their bodies.
func (m *mailbox) to(address string) (emails []*netmail.Message, bodies []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, email := range m.emails {
		if strings.Contains(email.Header.Get("To"), address) {
			emails, bodies = append(emails, email), append(bodies, m.bodies[i])
		}
	}
	return emails, bodies
}

func (m *mailbox) count(address string) int {
	emails, _ := m.to(address)
	return len(emails)
}

func (m *mailbox) take(r io.Reader) error {
	email, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(email.Body)
	if err != nil {
		return err
	}
	m.mu.Lock()
	stalled, dropped := m.stalled, m.dropped
	m.mu.Unlock()
	if stalled != nil {
		stalled <- struct{}{}
		<-dropped
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Try again"}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.emails, m.bodies = append(m.emails, email), append(m.bodies, string(body))
	return nil
}

type session struct{ mailbox *mailbox }

func (s session) Mail(string, *smtp.MailOptions) error      { return nil }
func (s session) Rcpt(to string, _ *smtp.RcptOptions) error { return s.mailbox.rcpt(to) }
func (s session) Data(r io.Reader) error                    { return s.mailbox.take(r) }
func (s session) Reset()                                    {}
func (s session) Logout() error                             { return nil }

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}
