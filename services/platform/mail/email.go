package mail

import (
	"unicode/utf8"
)

// Email is one to be sent: a template, what it is filled with, and for whom. [Templates] has the words.
type Email struct {
	// Key names the reason for the email, such as "waitlist-approved/<id>".
	// While an email with the same key waits or was sent in the last day, a
	// second one is not queued.
	Key string
	// To is one bare address.
	To string
	// Template names the file of Templates, without ".txt".
	Template string
	// Values are what the template can name: {{.Until}}. All of them have {{.Brand}} and {{.Support}}, too.
	Values map[string]string
	// Quote is what a person wrote, shown after the paragraphs as it is: its lines
	// are kept, and it is never markup.
	Quote string
	// Action is where the button leads, http or https.
	Action string
	// Leave ends such emails; "" where there is nothing to leave.
	Leave string
	// Follows, Followed, Unsubscribe and ReplyTo are those of Message.
	Follows     string
	Followed    bool
	Unsubscribe string
	ReplyTo     string
}

// Cut shortens a text to at most so many bytes, of which "…" takes three.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
