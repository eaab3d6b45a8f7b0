package waitlist_test

import (
	"io"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// mailbox is an SMTP server that keeps what it has acknowledged.
type mailbox struct {
	addr string

	mu      sync.Mutex
	letters []*netmail.Message
	bodies  []string
	// stalled, while set, is told of each letter that arrives; the letter is then
	// neither taken nor refused until dropped is closed.
	stalled chan struct{}
	dropped chan struct{}
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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

// stall makes the server hang on letters. It returns a channel that is told of
// each, and drop, which refuses those that hang and takes later ones again.
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

// to returns the letters for an address, and their bodies.
func (m *mailbox) to(address string) (letters []*netmail.Message, bodies []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, letter := range m.letters {
		if strings.Contains(letter.Header.Get("To"), address) {
			letters, bodies = append(letters, letter), append(bodies, m.bodies[i])
		}
	}
	return letters, bodies
}

func (m *mailbox) count(address string) int {
	letters, _ := m.to(address)
	return len(letters)
}

func (m *mailbox) take(r io.Reader) error {
	letter, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(letter.Body)
	if err != nil {
		return err
	}
	m.mu.Lock()
	stalled, dropped := m.stalled, m.dropped
	m.mu.Unlock()
	if stalled != nil {
		stalled <- struct{}{}
		<-dropped
		return smtp.ErrDataReset
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.letters, m.bodies = append(m.letters, letter), append(m.bodies, string(body))
	return nil
}

type session struct{ mailbox *mailbox }

func (s session) Mail(string, *smtp.MailOptions) error { return nil }
func (s session) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (s session) Data(r io.Reader) error               { return s.mailbox.take(r) }
func (s session) Reset()                               {}
func (s session) Logout() error                        { return nil }

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}
