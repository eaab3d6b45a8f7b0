// Package inmail reads mails that people send: who wrote, what they wrote of it themselves, and
// what tells a mail that no person has written. Nothing in a mail is trusted to be well-formed.
package inmail

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // the charsets of texts and headers
	"github.com/emersion/go-message/mail"
)

// MaxSize is the largest mail that is read, in bytes; most providers take 25 MB, of which the text
// is a small part.
const MaxSize = 26 << 20

const (
	maxParts = 200
	maxDepth = 10
	// maxText is how much is read of each text, in bytes: ten times what a ticket takes.
	maxText = 1 << 18
)

// Mail is what a mail says.
type Mail struct {
	// ID names the mail: the same one, delivered twice, has the same.
	ID string
	// From is the bare address of the one sender, its ASCII letters in lower case.
	From string
	// To has all addresses to which the mail went, in the same form.
	To []string
	// Follows are the Message-IDs, without brackets, of the mails that it answers.
	Follows []string
	Subject string
	// Text is what the sender wrote, without the quoted mails; it may be empty.
	Text string
	// Attachments are the names of what came beside the text.
	Attachments []string
	// Failure is what a bounce reports of one of our mails; nil for none.
	Failure *Failure
	// Machine says why no person has written the mail; "" if a person may have. Of bounces and
	// automatic answers nothing else is read but the addresses that they went to.
	Machine Machine

	results []string
}

// Machine is the kind of a mail that no person has written.
type Machine string

// The kinds. A person's mail is BulkMail, too, when it went through a list or a group.
const (
	Bounce     Machine = "bounce"
	AutoAnswer Machine = "auto_answer"
	BulkMail   Machine = "bulk"
)

// The reasons why a mail cannot be read.
var (
	ErrMalformed = errors.New("inmail: not a mail")
	ErrSender    = errors.New("inmail: not exactly one sender")
	ErrEncrypted = errors.New("inmail: encrypted")
)

// Parse reads a mail. ours match how our own mails begin, which it may quote.
func Parse(source []byte, ours []*regexp.Regexp) (Mail, error) {
	entity, err := message.Read(bytes.NewReader(source))
	if entity == nil || !readable(err) {
		return Mail{}, ErrMalformed
	}
	header := mail.Header{Header: entity.Header}
	m := Mail{Machine: machine(header), To: recipients(header), Follows: follows(header)}
	for fields := header.FieldsByKey("Authentication-Results"); fields.Next(); {
		m.results = append(m.results, fields.Value())
	}
	if m.Subject, err = header.Subject(); err != nil {
		m.Subject = header.Get("Subject")
	}
	if m.Machine == Bounce {
		m.Failure = failure(source, entity)
	}
	if m.Machine == Bounce || m.Machine == AutoAnswer {
		return m, nil // whoever it pretends to be from
	}
	from, err := header.AddressList("From")
	if err != nil || len(from) != 1 || from[0].Address == "" {
		return m, ErrSender
	}
	m.From = lower(from[0].Address)
	body := reader{parts: maxParts}
	found := body.read(entity, 0)
	if body.encrypted {
		return m, ErrEncrypted
	}
	m.Text, m.Attachments = Answer(clean(found.text()), ours), body.attachments
	m.ID = identify(header, m.From, found.text())
	return m, nil
}

// readable reports whether what can be read of a part is of use in spite of the error.
func readable(err error) bool {
	return err == nil || message.IsUnknownCharset(err) || message.IsUnknownEncoding(err)
}

// identify does not rely on the Message-ID alone: whoever knows that of another mail could keep it
// from being read.
func identify(header mail.Header, from, text string) string {
	id, err := header.MessageID()
	if err != nil || id == "" {
		id = header.Get("Message-Id") + header.Get("Date")
	}
	sum := sha256.Sum256([]byte(id + "\x00" + from + "\x00" + text))
	return hex.EncodeToString(sum[:])
}

// recipients are those that the sender named, and those that servers on the way noted.
func recipients(header mail.Header) (to []string) {
	for _, name := range []string{"To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"} {
		for fields := header.FieldsByKey(name); fields.Next(); {
			addresses, err := mail.ParseAddressList(fields.Value())
			if err != nil {
				continue
			}
			for _, address := range addresses {
				to = append(to, lower(address.Address))
			}
		}
	}
	return to
}

// lower leaves alone what is not ASCII: to Unicode's folding the Kelvin sign is a k, and two mailboxes
// would become one.
func lower(address string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, address)
}

// maxFollows is how many Message-IDs are looked at: the newest are the last.
const maxFollows = 100

func follows(header mail.Header) (ids []string) {
	for _, name := range []string{"References", "In-Reply-To"} {
		ids = append(ids, strings.FieldsFunc(header.Get(name), func(r rune) bool { return strings.ContainsRune("<> \t\r\n,", r) })...)
	}
	return ids[max(0, len(ids)-maxFollows):]
}

// machine goes by what RFC 3834 and RFC 3464 say, and by what others do.
func machine(header mail.Header) Machine {
	has := func(name string) bool { return header.Get(name) != "" }
	lower := func(name string) string { return strings.ToLower(strings.TrimSpace(header.Get(name))) }
	kind, _, _ := header.ContentType()
	auto, _, _ := strings.Cut(lower("Auto-Submitted"), ";")
	switch {
	case kind == "multipart/report", lower("Return-Path") == "<>", has("X-Failed-Recipients"),
		strings.HasPrefix(lower("From"), "mailer-daemon@"), strings.Contains(lower("From"), "<mailer-daemon@"):
		return Bounce
	case auto != "" && strings.TrimSpace(auto) != "no", has("X-Autoreply"), has("X-Autorespond"), has("X-Autoresponder"),
		has("X-Auto-Response-Suppress"), lower("Precedence") == "auto_reply", lower("X-Precedence") == "auto_reply":
		return AutoAnswer
	case lower("Precedence") == "bulk", lower("Precedence") == "junk", lower("Precedence") == "list", has("List-Id"), has("List-Unsubscribe"):
		return BulkMail
	}
	return ""
}

// body is what a part has to read, as plain text and as HTML.
type body struct{ plain, html []string }

// text prefers what the sender's program made plain itself.
func (b body) text() string {
	plain := strings.TrimSpace(strings.Join(b.plain, "\n"))
	if plain != "" {
		return plain
	}
	return strings.TrimSpace(strings.Join(b.html, "\n"))
}

type reader struct {
	parts       int
	attachments []string
	encrypted   bool
}

func (r *reader) read(entity *message.Entity, depth int) (found body) {
	if r.parts--; r.parts < 0 || depth > maxDepth {
		return found
	}
	kind, params, err := entity.Header.ContentType()
	if err != nil && kind == "" {
		kind = "text/plain"
	}
	if parts := entity.MultipartReader(); parts != nil {
		r.encrypted = r.encrypted || kind == "multipart/encrypted"
		return r.readParts(parts, kind, depth)
	}
	disposition, named, _ := entity.Header.ContentDisposition()
	name := first(named["filename"], params["name"])
	switch {
	case kind == "application/pkcs7-mime" && params["smime-type"] != "signed-data":
		r.encrypted = true
	case strings.HasSuffix(kind, "-signature"):
	case disposition == "attachment", name != "", kind != "text/plain" && kind != "text/html":
		r.attachments = append(r.attachments, oneLine(first(name, kind)))
	default:
		// What is broken in the middle is of use up to there.
		text, _ := io.ReadAll(io.LimitReader(entity.Body, maxText))
		if kind == "text/html" {
			return body{html: []string{htmlText(string(text))}}
		}
		return body{plain: []string{unflowed(string(text), params)}}
	}
	return found
}

func (r *reader) readParts(parts message.MultipartReader, kind string, depth int) (found body) {
	for r.parts > 0 {
		part, err := parts.NextPart()
		if part == nil || !readable(err) {
			break
		}
		has := r.read(part, depth+1)
		if kind == "multipart/alternative" {
			// Each part says the same in another way.
			found.plain, found.html = longer(found.plain, has.plain), longer(found.html, has.html)
			continue
		}
		if len(has.plain) == 0 && len(found.plain) > 0 {
			// A text that is only HTML follows, or stands between, plain ones.
			has.plain = has.html
		}
		found.plain, found.html = append(found.plain, has.plain...), append(found.html, has.html...)
	}
	return found
}

func longer(a, b []string) []string {
	if len(strings.Join(b, "")) > len(strings.Join(a, "")) {
		return b
	}
	return a
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
