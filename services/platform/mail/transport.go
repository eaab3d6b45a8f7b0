package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// refusal is what the server's answer means for the email.
type refusal int

const (
	// unreachable: the fault is not the email's. Nothing was tried.
	unreachable refusal = iota
	// temporary: the server wants to be asked again later.
	temporary
	// permanent: it will never take this email.
	permanent
)

// transport turns messages into mail and hands them to the server.
type transport struct {
	client        *gomail.Client
	from, replyTo *netmail.Address
	domain        string
	mark          []byte
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
	client, err := cfg.client()
	if err != nil {
		return nil, err
	}
	mark, err := emailFiles.ReadFile("email/mark.png")
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	return &transport{client: client, from: from, replyTo: replyTo, domain: domain, mark: mark}, nil
}

// send returns nil when the server has taken the email over. A refusal says
// how to go on after an error, which names nobody: it goes to logs.
func (t *transport) send(ctx context.Context, m Message, queuedAt time.Time) (refusal, error) {
	email, err := t.compose(m, queuedAt)
	if err != nil {
		return permanent, err
	}
	err = t.client.DialAndSendWithContext(ctx, email)
	// An error after the server's 250, while saying goodbye, changes nothing.
	if err == nil || email.IsDelivered() {
		return 0, nil
	}
	return classify(err), nameless(err)
}

// nameless is the error without what the server said and to whom: both hold addresses.
func nameless(err error) error {
	sendErr, ok := errors.AsType[*gomail.SendError](err)
	switch {
	case !ok: // no email was on its way yet
		return fmt.Errorf("mail: %w", err)
	case sendErr.ErrorCode() == 0:
		return fmt.Errorf("mail: %s", sendErr.Reason)
	}
	status := strings.TrimSpace(strconv.Itoa(sendErr.ErrorCode()) + " " + sendErr.EnhancedStatusCode())
	return fmt.Errorf("mail: %s: the server answered %s", sendErr.Reason, status)
}

func (t *transport) compose(m Message, queuedAt time.Time) (*gomail.Msg, error) {
	// Which program sends is nobody's business: it tells whose faults to try.
	email := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	email.FromMailAddress(t.from)
	email.ReplyToMailAddress(t.replyTo)
	if err := email.To(m.To); err != nil {
		return nil, errors.New("mail: the recipient is not an address") // which err repeats
	}
	email.Subject(m.Subject)
	email.SetMessageIDWithValue(m.messageID(t.domain))
	email.SetDateWithValue(queuedAt)
	if m.Follows != "" {
		id := "<" + m.idOf(m.Follows, t.domain) + ">"
		email.SetGenHeader(gomail.HeaderInReplyTo, id)
		email.SetGenHeader(gomail.HeaderReferences, id)
	}
	// Keeps holiday answers away (RFC 3834).
	email.SetGenHeader("Auto-Submitted", "auto-generated")
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

// classify tells a refusal of the email from one of ourselves: a server that
// rejects our login or our sender will take the email once that is fixed.
func classify(err error) refusal {
	sendErr, ok := errors.AsType[*gomail.SendError](err)
	if !ok || sendErr.ErrorCode() == 0 {
		return unreachable
	}
	switch sendErr.Reason {
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		if sendErr.ErrorCode() >= 500 {
			return permanent
		}
		return temporary
	}
	return unreachable
}
