package mail

import (
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	texttemplate "text/template"

	"fledge.dev/services/platform/brand"
)

//go:embed letter
var letterFiles embed.FS

// markID is the content ID of the brand's mark in every letter with HTML.
const markID = "mark"

// Action is the one thing that a letter asks its reader to do.
type Action struct {
	Label string
	// URL is http or https.
	URL string
}

// Letter is the content of a mail. It becomes one column with the brand's mark
// above and at most one button, and the same words as plain text.
type Letter struct {
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
}

// letterView adds what every letter shares.
type letterView struct {
	Letter
	Brand, Support, MarkID string
}

// Compose renders the letter for one recipient. The key is Message.Key.
func (l Letter) Compose(key, to string) (Message, error) {
	view := letterView{Letter: l, Brand: brand.Name, Support: brand.SupportEmail, MarkID: markID}
	text, err := texttemplate.New("letter.txt").Funcs(texttemplate.FuncMap{"quoted": quoted}).ParseFS(letterFiles, "letter/letter.txt")
	if err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	html, err := htmltemplate.ParseFS(letterFiles, "letter/letter.html")
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
	m := Message{Key: key, To: to, Subject: l.Subject, Text: plain.String(), HTML: rich.String()}
	return m, m.validate()
}

// quoted marks each line as mail programs do (RFC 3676, section 4.5).
func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }
