package mail

import (
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"

	"fledge.dev/services/platform/brand"
)

//go:embed email
var emailFiles embed.FS

// markID is the content ID of the brand's mark in every email with HTML.
const markID = "mark"

// Action is the one thing that an email asks its reader to do.
type Action struct {
	Label string
	// URL is http or https.
	URL string
}

// Email is the content of a mail. It becomes one column with the brand's mark
// above and at most one button, and the same words as plain text.
type Email struct {
	Subject string
	// Preview is what inboxes show beside the subject; "" shows the first words.
	Preview    string
	Heading    string
	Paragraphs []string
	// Quote is what a person wrote, shown after the paragraphs as it is: its lines
	// are kept, and it is never markup.
	Quote  string
	Action *Action
	// Reason says why the reader got this, in small print.
	Reason string
	// Leave ends such emails, in small print, too; nil where there is nothing to leave.
	Leave *Action
}

// emailView adds what every email shares.
type emailView struct {
	Email
	Brand, Support, MarkID string
}

// Compose renders the email for one recipient. The key is Message.Key.
func (e Email) Compose(key, to string) (Message, error) {
	view := emailView{Email: e, Brand: brand.Name, Support: brand.SupportEmail, MarkID: markID}
	text, err := texttemplate.New("email.txt").Funcs(texttemplate.FuncMap{"quoted": quoted}).ParseFS(emailFiles, "email/email.txt")
	if err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	html, err := htmltemplate.ParseFS(emailFiles, "email/email.html")
	if err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	var plain, rich strings.Builder
	if err := text.Execute(&plain, view); err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	if err := html.Execute(&rich, view); err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	m := Message{Key: key, To: to, Subject: e.Subject, Text: plain.String(), HTML: rich.String()}
	return m, m.validate()
}

// quoted marks each line as mail programs do (RFC 3676, section 4.5).
func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }
