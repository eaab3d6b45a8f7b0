package mail

import (
	"crypto/sha256"
	"encoding/hex"
	netmail "net/mail"
	"strings"

	"fledge.dev/services/platform/fault"
)

const maxSubject = 200

// Message is an email as it is queued. Templates.Compose makes one.
type Message struct {
	// Key names the reason for the email, such as "waitlist-approved/<id>".
	// While an email with the same key waits or was sent in the last day, a
	// second one is not queued.
	Key string
	// Follows is the key of an earlier email to the same address, whose
	// conversation this one continues (RFC 5322, section 3.6.4); "" starts one.
	Follows string `json:",omitempty"`
	// Followed is whether other emails will follow this one.
	Followed bool `json:",omitempty"`
	// Unsubscribe is where a mail program may POST to on behalf of the reader, without further
	// questions (RFC 8058): https, and it says by itself who it is about. "" for emails that
	// are not about a list.
	Unsubscribe string `json:",omitempty"`
	// To is one bare address.
	To string
	// ReplyTo takes the answers to this email; "" is Config.ReplyTo.
	ReplyTo string `json:",omitempty"`
	// Subject is one line of at most 200 bytes.
	Subject string
	// Text and HTML say the same.
	Text string
	HTML string
}

// validate returns a fault.Invalid: no retry can help a message like this.
func (m Message) validate() error {
	invalid := func(reason, message string) error { return fault.New(fault.Invalid, reason, message) }
	if address, err := netmail.ParseAddress(m.To); err != nil || address.Address != m.To {
		return invalid("mail_recipient", "The recipient is not an e-mail address.")
	}
	if address, err := netmail.ParseAddress(m.ReplyTo); m.ReplyTo != "" && (err != nil || address.Address != m.ReplyTo) {
		return invalid("mail_reply_to", "The address for answers is not an e-mail address.")
	}
	if strings.ContainsAny(m.Unsubscribe, " <>\r\n") {
		return invalid("mail_unsubscribe", "The link to unsubscribe must be a URL.")
	}
	if m.Subject == "" || len(m.Subject) > maxSubject || strings.ContainsAny(m.Subject, "\r\n") {
		return invalid("mail_subject", "The subject must be one line of 1 to 200 bytes.")
	}
	if m.Key == "" || m.Text == "" {
		return invalid("mail_incomplete", "An email needs a key and a text.")
	}
	return nil
}

// Conversation returns the Message-IDs, without angle brackets, that the emails to the address refer
// to which follow the one with the key: an answer to any of them does so, too.
func (c Config) Conversation(key, to string) []string {
	sender, err := netmail.ParseAddress(c.From)
	if err != nil {
		return nil
	}
	_, domain := splitAddress(asciiAddress(sender.Address))
	m := Message{To: asciiAddress(to)}
	return []string{m.idOf(conversation+key, domain), m.idOf(key, domain)}
}

// conversation goes before the key of an email of which an id is made that all of its conversation
// refer to.
const conversation = "conversation/"

// messageID is the same for every try of a message, without angle brackets. Only one to which others refer follows from
// the key alone: after a database was restored, a service may use a key again for an email with another link or another
// answer, and mailboxes drop a second one with the Message-ID of the first.
func (m Message) messageID(domain string) string {
	if !m.Followed {
		return m.idOf(m.Key+"\x00"+m.Text, domain)
	}
	return m.idOf(m.Key, domain)
}

// idOf is the Message-ID of the email with the key to the same address.
func (m Message) idOf(key, domain string) string {
	sum := sha256.Sum256([]byte(key + "\x00" + m.To))
	return hex.EncodeToString(sum[:16]) + "@" + domain
}
