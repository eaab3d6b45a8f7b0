// Package inmail reads mails that people send: who wrote, what they wrote of it themselves, and
// what tells a mail that no person has written. Nothing in a mail is trusted to be well-formed.
package inmail

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/emersion/go-message/mail"
)

// MaxSize is the largest mail that is read, in bytes; most providers take 25 MB, of which the text
// is a small part.
const MaxSize = 26 << 20

const (
	maxParts = 200
	maxDepth = 10
	// maxText is how much is taken of each text, and of all together, in bytes: ten times what a ticket takes.
	maxText = 1 << 18
	// maxHTML is how much is read of each page of HTML, in bytes: pictures may stand within it.
	maxHTML = 1 << 22
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
	// More says that the mail may have more of the sender's words than Text: below a quoted mail that has no marks, or in
	// a part that is too long or broken.
	More bool
	// Attachments are the names of what came beside the text.
	Attachments []string
	// Failure is what a bounce reports of one of our mails; nil for none.
	Failure *Failure
	// Machine says what a program has to do with the mail; "" if nothing is known. Of reports and automatic answers nothing
	// else is read but the addresses that they went to.
	Machine Machine

	results []string
}

// The reasons why a mail cannot be read.
var (
	ErrMalformed = errors.New("inmail: not a mail")
	ErrSender    = errors.New("inmail: not exactly one sender")
	// ErrSealed: encrypted, or signed so that the text is inside of the signature.
	ErrSealed = errors.New("inmail: sealed")
	// ErrBody: something is there, of which nothing can be read.
	ErrBody = errors.New("inmail: no body that can be read")
)

// Parse reads a mail. ours match how our own mails begin, which it may quote; isAnswer reports whether it answers one
// of them for the addresses that it went to; it is called at most once, and for every mail of a person or a list.
func Parse(source []byte, ours []*regexp.Regexp, isAnswer func(to []string) bool) (Mail, error) {
	entity, raw, err := open(source)
	if err != nil {
		return Mail{}, err
	}
	header := mail.Header{Header: entity.Header}
	m := Mail{Machine: machine(header), To: recipients(header), Follows: follows(header)}
	for fields := header.FieldsByKey("Authentication-Results"); fields.Next(); {
		m.results = append(m.results, fields.Value())
	}
	if m.Subject, err = header.Subject(); err != nil {
		m.Subject = header.Get("Subject")
	}
	m.Subject = eightBit(m.Subject)
	if m.Machine == Bounce {
		m.Failure, m.Machine = report(source, entity, m.Subject)
	}
	if m.Machine == Bounce || m.Machine == Notice || m.Machine == AutoAnswer {
		return m, nil // whoever it pretends to be from
	}
	answers := isAnswer(m.To) || len(m.Follows) > 0
	passesOn := forwards.MatchString(m.Subject) && !answersVS.MatchString(m.Subject)
	if m.From, err = sender(header); err != nil {
		return m, err
	}
	body := reader{parts: maxParts, withoutQuotes: answers && !passesOn, ours: ours, texts: sha256.New()}
	found := body.read(entity, 0)
	if body.sealed || strings.HasPrefix(strings.TrimSpace(found.text), "-----BEGIN PGP MESSAGE-----") {
		return m, ErrSealed
	}
	if len(found.text) > maxText { // all parts together
		found.text, found.more = string(whole([]byte(found.text), maxText)), true
	}
	m.Text, m.More, m.Attachments = clean(found.text), found.more, body.attachments
	if body.invited {
		m.Machine = BulkMail
	}
	if !body.opened && !body.invited && len(m.Attachments) == 0 && len(bytes.TrimSpace(raw)) > 0 {
		return m, ErrBody
	}
	// A mail that answers nothing may end in lines with marks, or pass on another one.
	if !passesOn && (answers || Quotes(m.Text, ours)) {
		answer, more := Answer(m.Text, ours)
		m.Text, m.More = answer, m.More || more
	}
	m.ID = identify(header, m.From, body.texts.Sum(nil))
	return m, nil
}

// sender is the one address of the one field. With two fields, a server may have found another one to be genuine than
// we would take. Of a field that cannot be read, such as that of an old program with a name in Latin-1, or with the address
// for a name, it is what looks like an address, if that is one.
func sender(header mail.Header) (string, error) {
	fields := header.FieldsByKey("From")
	if fields.Len() != 1 {
		return "", ErrSender
	}
	fields.Next()
	from, err := header.AddressList("From")
	if err != nil {
		seem := addressForm.FindAllString(Lower(fields.Value()), -1)
		if slices.Sort(seem); len(slices.Compact(seem)) != 1 {
			return "", ErrSender
		}
		return seem[0], nil
	}
	if len(from) != 1 || from[0].Address == "" {
		return "", ErrSender
	}
	return Lower(from[0].Address), nil
}

// identify does not rely on the Message-ID alone: whoever knows that of another mail could keep it
// from being read. texts are those of the parts with all that they quote, on whatever way the mail came.
func identify(header mail.Header, from string, texts []byte) string {
	id, err := header.MessageID()
	if err != nil || id == "" {
		id = header.Get("Message-Id") + header.Get("Date")
	}
	sum := sha256.Sum256([]byte(id + "\x00" + from + "\x00" + string(texts)))
	return hex.EncodeToString(sum[:])
}

var addressForm = regexp.MustCompile(`[^\s<>()\[\],;:"@]+@[^\s<>()\[\],;:"@]+`)

// recipients are those that the sender named, and those that servers on the way noted.
func recipients(header mail.Header) (to []string) {
	for _, name := range []string{"To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"} {
		for fields := header.FieldsByKey(name); fields.Next(); {
			addresses, err := mail.ParseAddressList(fields.Value())
			if err != nil { // one that is none must not hide the others
				for _, address := range addressForm.FindAllString(fields.Value(), -1) {
					to = append(to, Lower(address))
				}
			}
			for _, address := range addresses {
				to = append(to, Lower(address.Address))
			}
		}
	}
	return to
}

// Lower leaves alone what is not ASCII: to Unicode's folding the Kelvin sign is a k, and two mailboxes
// would become one.
func Lower(address string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, address)
}

// maxFollows is how many Message-IDs are looked at: the newest are the last.
const maxFollows = 100

// forwards begins the subject of a mail that is passed on. Outlook marks that nowhere else.
var forwards = regexp.MustCompile(`(?i)^\s*(FWD?|WG|TR|RV|I|VS|VB|VL|PD|ENC|Doorst|İLT|转发|轉寄)\s?[:：]`)

// answersVS begins the subject of a Finnish answer to a ticket's email. A Danish one that is passed on begins so, too; what
// is cut of that is in the mailbox.
var answersVS = regexp.MustCompile(`(?i)^\s*VS\s?[:：]\s*(RE\s?[:：]\s*)?\[TKT-\d+\]`)

func follows(header mail.Header) (ids []string) {
	for _, name := range []string{"References", "In-Reply-To"} {
		ids = append(ids, strings.FieldsFunc(header.Get(name), func(r rune) bool { return strings.ContainsRune("<> \t\r\n,", r) })...)
	}
	return ids[max(0, len(ids)-maxFollows):]
}
