package mailbox

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/imaptest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/inmail"
	"fledge.dev/services/support/internal/ticket"
)

func settings(server *imaptest.Server) Config {
	return Config{
		Addr: server.Addr(), TLS: mail.TLSNone, User: imaptest.User, Password: imaptest.Password, Inbox: "INBOX", Done: "Fledge done", People: "Fledge for people",
		Every: time.Second, TrustedHosts: []string{"mx.fledge.example"}, ReplyAddress: replies.Base, ReplyKeys: replies.Keys,
	}
}

func open(t *testing.T, cfg Config, s Tickets) *Mailbox {
	t.Helper()
	errtest.None(t, cfg.Validate())
	m, err := New(cfg, mail.Config{From: "Fledge <hello@fledge.example>", ReplyTo: "support@fledge.example"}, nil, s, accounts{}, &reports{},
		service.NewRuntime("support", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	return m
}

// folders are how many mails wait, were taken, and are for people.
func folders(s *imaptest.Server) [3]int {
	return [3]int{s.Mails("INBOX"), s.Mails("Fledge done"), s.Mails("Fledge for people")}
}

func TestMailsAreTakenAndMoved(t *testing.T) {
	for name, extensions := range map[string][]imap.Cap{"an old server": nil, "with UIDPLUS": {imap.CapUIDPlus}, "with MOVE": {imap.CapMove, imap.CapUIDPlus}} {
		server, store := imaptest.Start(t, nil, extensions...), newTickets()
		m := open(t, settings(server), store)
		for range 2 {
			server.Deliver(arrived(t, "new"))
		}
		server.Deliver(arrived(t, "forged"))
		server.Deliver(arrived(t, "holiday"))
		server.Deliver([]byte("Subject: huge\r\n\r\n" + strings.Repeat("x", inmail.MaxSize)))
		if err := m.Run(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := folders(server); got != [3]int{0, 3, 2} || len(store.opened) != 1 {
			t.Errorf("%s: %v, opened %q", name, got, store.opened)
		}
		if err := m.Run(t.Context()); err != nil || folders(server) != [3]int{0, 3, 2} {
			t.Errorf("%s: %v, %v", name, folders(server), err)
		}
	}
}

// TestFoldersThatAreMadeShow in the programs of those who look into them.
func TestFoldersThatAreMadeShow(t *testing.T) {
	cfg := settings(imaptest.Start(t, nil, imap.CapListExtended))
	conn, hangUp, err := connect(t.Context(), cfg)
	errtest.None(t, err)
	defer hangUp()
	for _, name := range []string{cfg.Done, cfg.People} {
		shown, err := conn.List("", name, &imap.ListOptions{SelectSubscribed: true}).Collect()
		if err != nil || len(shown) != 1 {
			t.Errorf("%s: %v, %v", name, shown, err)
		}
	}
}

// TestFoldersBeginAsTheServerWants, as those of Courier and of many providers do.
func TestFoldersBeginAsTheServerWants(t *testing.T) {
	server, store := imaptest.Start(t, nil, imap.CapMove, imap.CapNamespace), newTickets()
	server.WithPrefix("INBOX.")
	cfg := settings(server)
	cfg.People = "INBOX.For people"
	m := open(t, cfg, store)
	for range 2 {
		server.Deliver(arrived(t, "new"))
		server.Deliver(arrived(t, "forged"))
		errtest.None(t, m.Run(t.Context()))
	}
	if got := [3]int{server.Mails("INBOX"), server.Mails("INBOX.Fledge done"), server.Mails("INBOX.For people")}; got != [3]int{0, 2, 2} {
		t.Error(got)
	}
}

// TestNothingIsLostWhileSomethingIsAway: neither when the database is, nor when the mailbox is.
func TestNothingIsLostWhileSomethingIsAway(t *testing.T) {
	server, store := imaptest.Start(t, nil, imap.CapMove), newTickets()
	m := open(t, settings(server), store)
	server.Deliver(arrived(t, "new"))
	store.fail = fault.New(fault.Unavailable, "x", "x")
	if err := m.Run(t.Context()); err == nil || folders(server) != [3]int{1, 0, 0} {
		t.Errorf("without a database: %v, %v", folders(server), err)
	}
	store.fail = nil
	server.Stop()
	if err := m.Run(t.Context()); err == nil {
		t.Error("nobody says that the mailbox is away")
	}
	server.Restart()
	if err := m.Run(t.Context()); err != nil || folders(server) != [3]int{0, 1, 0} || len(store.opened) != 1 {
		t.Errorf("%v, opened %q, %v", folders(server), store.opened, err)
	}
}

// pickyTickets take all but one kind of mails, and count how often they were asked for each of those.
type pickyTickets struct {
	*tickets
	refused map[ticket.Text]int
}

func (s pickyTickets) Create(ctx context.Context, customer ticket.Person, content ticket.Content, key string) (ticket.Ticket, bool, error) {
	if strings.Contains(string(content.Message), "poison") {
		s.refused[content.Message]++
		return ticket.Ticket{}, false, fault.New(fault.Unavailable, "x", "x")
	}
	return s.tickets.Create(ctx, customer, content, key)
}

// TestMailsThatFailKeepNoOtherWaiting, however many they are, nor each other.
func TestMailsThatFailKeepNoOtherWaiting(t *testing.T) {
	server, store := imaptest.Start(t, nil, imap.CapMove), pickyTickets{newTickets(), map[ticket.Text]int{}}
	m := open(t, settings(server), store)
	const aRun, runs = maxFailures + 1, atOnce/(maxFailures+1) + 1
	for n := range runs * aRun {
		server.Deliver(arrived(t, "new", "Where is the button?", fmt.Sprint("poison ", n)))
	}
	server.Deliver(arrived(t, "new"))
	for range 2 * runs {
		if err := m.Run(t.Context()); err == nil {
			t.Error("nobody says that mails fail")
		}
	}
	if got := folders(server); got != [3]int{runs * aRun, 1, 0} || len(store.opened) != 1 {
		t.Errorf("%v, opened %q", got, store.opened)
	}
	for text, times := range store.refused {
		if times != 2 || len(store.refused) != runs*aRun {
			t.Errorf("%q was tried %d times, of %d", text, times, len(store.refused))
		}
	}
}

// TestAMailThatTheFolderDoesNotTakeStays, on servers of every age.
func TestAMailThatTheFolderDoesNotTakeStays(t *testing.T) {
	for name, extensions := range map[string][]imap.Cap{"an old server": nil, "with UIDPLUS": {imap.CapUIDPlus}, "with MOVE": {imap.CapMove}} {
		server := imaptest.Start(t, nil, extensions...)
		server.Deliver(arrived(t, "new"))
		conn, hangUp, err := connect(t.Context(), settings(server))
		errtest.None(t, err)
		defer hangUp()
		errtest.None(t, conn.Delete(conn.done).Wait())
		uids, err := conn.waiting()
		if err != nil || len(uids) != 1 {
			t.Fatalf("%s: %v, %v", name, uids, err)
		}
		if err := conn.move(uids[0], conn.done); err == nil || server.Mails("INBOX") != 1 {
			t.Errorf("%s: %d mails are left, %v", name, server.Mails("INBOX"), err)
		}
		if left, err := conn.waiting(); err != nil || len(left) != 1 {
			t.Errorf("%s: %v wait, %v", name, left, err)
		}
	}
}

// TestAKillBeforeTheMove: what was committed is not done again.
func TestAKillBeforeTheMove(t *testing.T) {
	server, store := imaptest.Start(t, nil, imap.CapMove), newTickets()
	m := open(t, settings(server), store)
	if outcome, err := m.receiver.receive(t.Context(), arrived(t, "new")); outcome != Opened || err != nil {
		t.Fatalf("%s, %v", outcome, err)
	}
	server.Deliver(arrived(t, "new"))
	if err := m.Run(t.Context()); err != nil || folders(server) != [3]int{0, 1, 0} || len(store.opened) != 1 {
		t.Errorf("%v, opened %q, %v", folders(server), store.opened, err)
	}
}

func TestAWrongPasswordIsAnError(t *testing.T) {
	server := imaptest.Start(t, nil)
	cfg := settings(server)
	cfg.Password = "wrong"
	server.Deliver(arrived(t, "new"))
	if err := open(t, cfg, newTickets()).Run(t.Context()); err == nil || strings.Contains(err.Error(), "wrong") || folders(server) != [3]int{1, 0, 0} {
		t.Errorf("%v, %v", folders(server), err)
	}
}

func TestSettings(t *testing.T) {
	good := Config{
		Addr: "imap.example:993", TLS: "tls", User: "u", Password: "p", Inbox: "INBOX", Done: "a", People: "b", Every: time.Second,
		ReplyAddress: "reply@fledge.example", ReplyKeys: replies.Keys,
	}
	if err := errorsOf(good.Validate(), Config{}.Validate()); err != "" {
		t.Error(err)
	}
	for want, change := range map[string]func(*Config){
		"IMAP_ADDR":             func(c *Config) { c.Addr = "imap.example" },
		"IMAP_TLS":              func(c *Config) { c.TLS = "ssl" },
		"IMAP_PASSWORD":         func(c *Config) { c.Password = "" },
		"three mailboxes":       func(c *Config) { c.Done = c.Inbox },
		"IMAP_EVERY":            func(c *Config) { c.Every = 0 },
		"MAIL_IN_REPLY_ADDRESS": func(c *Config) { c.ReplyAddress = "Fledge <reply@fledge.example>" },
		"MAIL_IN_TRUSTED_HOST":  func(c *Config) { c.TrustedHosts = []string{"mx.fledge.example", "*"} },
		`"*.example"`:           func(c *Config) { c.TrustedHosts = []string{"*.example"} },
		"MAIL_IN_REPLY_KEYS":    func(c *Config) { c.ReplyKeys = config.Secret("short") },
	} {
		bad := good
		change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func errorsOf(list ...error) (text string) {
	for _, err := range list {
		if err != nil {
			text += err.Error()
		}
	}
	return text
}
