package mail

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"fledge.dev/services/platform/address"
)

// transport turns messages into mail and hands them to the server.
type transport struct {
	host          string
	opts          []gomail.Option
	from, replyTo *netmail.Address
	// envelopeFrom is where bounces go to.
	envelopeFrom string
	domain       string
	mark         []byte
}

func newTransport(cfg Config) (*transport, error) {
	from, err := netmail.ParseAddress(cfg.From)
	if err != nil {
		return nil, fmt.Errorf("mail: MAIL_FROM: %w", err)
	}
	replyTo, err := netmail.ParseAddress(cfg.ReplyTo)
	if err != nil {
		return nil, fmt.Errorf("mail: MAIL_REPLY_TO: %w", err)
	}
	envelopeFrom, err := cfg.envelopeFrom()
	if err != nil {
		return nil, fmt.Errorf("mail: MAIL_ENVELOPE_FROM: %w", err)
	}
	host, opts, err := cfg.client()
	if err != nil {
		return nil, err
	}
	mark, err := layoutFiles.ReadFile("layout/mark.png")
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	from.Address = asciiAddress(from.Address)
	_, domain := splitAddress(from.Address)
	return &transport{
		host: host, opts: opts, from: from, replyTo: replyTo, envelopeFrom: asciiAddress(envelopeFrom), domain: domain, mark: mark,
	}, nil
}

// send returns nil when the server has taken the email over.
func (t *transport) send(ctx context.Context, m Message, queuedAt time.Time) *failure {
	m.To = asciiAddress(m.To)
	email, err := t.compose(m, queuedAt)
	if err != nil {
		return &failure{phase: phaseData, verdict: deferred, cause: err}
	}
	dialler, err := gomail.NewClient(t.host, t.opts...)
	if err != nil {
		return failed(phaseConnect, err)
	}
	server, err := dialler.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return failed(phaseConnect, err)
	}
	// What goes wrong with saying goodbye changes nothing.
	defer func() { _ = dialler.CloseWithSMTPClient(server) }()
	// A server that was told SMTPUTF8 may pass the email on to none that does not know it (RFC 6531, section 3.2).
	server.SkipSMTPUTF8(isASCII(m.To))
	if err := server.Mail("<" + t.envelopeFrom + ">"); err != nil {
		return failed(phaseMail, err)
	}
	if err := server.Rcpt("<" + m.To + ">"); err != nil {
		return failed(phaseRcpt, err)
	}
	body, err := server.Data()
	if err != nil {
		return failed(phaseData, err)
	}
	if _, err := email.WriteTo(body); err != nil {
		_ = server.Close() // another command would hand over the part that is written
		return failed(phaseData, err)
	}
	if err := body.Close(); err != nil {
		f := failed(phaseData, err)
		if f.code == 0 { // it may have been taken: the pauses of its own grow, so that it does not arrive a thousand times
			f.verdict = deferred
		}
		return f
	}
	return nil
}

func (t *transport) compose(m Message, queuedAt time.Time) (*gomail.Msg, error) {
	// Which program sends is nobody's business: it tells whose faults to try.
	email := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	email.FromMailAddress(t.from)
	email.ReplyToMailAddress(t.replyTo)
	if m.ReplyTo != "" {
		email.ReplyToMailAddress(&netmail.Address{Name: t.from.Name, Address: asciiAddress(m.ReplyTo)})
	}
	if err := email.To(m.To); err != nil {
		return nil, errors.New("mail: the recipient is not an address") // which err repeats
	}
	email.Subject(m.Subject)
	email.SetMessageIDWithValue(m.messageID(t.domain))
	email.SetDateWithValue(queuedAt)
	t.thread(email, m)
	if m.Unsubscribe != "" { // RFC 2369 and 8058
		email.SetGenHeader("List-Unsubscribe", "<"+m.Unsubscribe+">")
		email.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
		email.SetGenHeader("Precedence", "bulk") // older programs' word for mail that is not answered by itself (RFC 3834, section 2)
	}
	// Keeps holiday answers and receipts away: of programs that follow RFC 3834, and of Exchange ([MS-OXCMAIL] 2.2.3.2.14),
	// whose reports that an email was not delivered ("NDR") are wanted.
	email.SetGenHeader("Auto-Submitted", "auto-generated")
	email.SetGenHeader("X-Auto-Response-Suppress", "DR, RN, NRN, OOF, AutoReply")
	email.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML == "" {
		return email, nil
	}
	email.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	err := email.EmbedReader("mark.png", bytes.NewReader(t.mark),
		gomail.WithFileContentID("<"+markID+">"), gomail.WithFileContentType("image/png"))
	if err != nil {
		return nil, fmt.Errorf("mail: embed the mark: %w", err)
	}
	return email, nil
}

// thread makes the email part of its conversation. Some providers replace Message-IDs, so that the
// first email is not found by the id that we gave it; all refer to one that no email has, too.
func (t *transport) thread(email *gomail.Msg, m Message) {
	first := cmp.Or(m.Follows, m.Key)
	references := "<" + m.idOf(conversation+first, t.domain) + ">"
	switch {
	case m.Follows != "":
		id := "<" + m.idOf(m.Follows, t.domain) + ">"
		email.SetGenHeader(gomail.HeaderInReplyTo, id)
		references += " " + id
	case !m.Followed:
		return
	}
	email.SetGenHeader(gomail.HeaderReferences, references)
}

// splitAddress returns the parts around the "@".
func splitAddress(of string) (local, domain string) {
	at := strings.LastIndexByte(of, '@')
	return of[:max(at, 0)], of[at+1:]
}

// asciiAddress has the domain as every server knows it: "bücher.example" is "xn--bcher-kva.example".
func asciiAddress(typed string) string {
	local, domain := splitAddress(typed)
	ascii, err := address.ASCIIDomain(domain)
	if err != nil { // for the server to judge
		return typed
	}
	return local + "@" + ascii
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
