package mail_test

import (
	"strings"
	"testing"

	"fledge.dev/services/platform/mail"
)

func TestEmailReadsWellAsText(t *testing.T) {
	m, err := mail.Email{
		Subject: "You’re in", Heading: "You’re in", Paragraphs: []string{"First.", "Second & last."},
		Action: &mail.Action{Label: "Download for Mac", URL: "https://fledge.example/closed-beta?a=1&b=2"},
		Reason: "You joined the waitlist.",
	}.Compose("approved/1", "ada@example.test")
	if err != nil {
		t.Fatal(err)
	}
	want := `You’re in

First.

Second & last.

Download for Mac:
https://fledge.example/closed-beta?a=1&b=2

-- 
Fledge
You joined the waitlist.
Questions? Write to support@fledge.example
`
	if m.Text != want {
		t.Errorf("got:\n%s\nwant:\n%s", m.Text, want)
	}
}

func TestEmailEscapesWhatPeopleWrote(t *testing.T) {
	m, err := mail.Email{
		Subject: "Hi", Heading: `<script>alert(1)</script>`, Paragraphs: []string{`<img src=x onerror=alert(1)>`},
		Action: &mail.Action{Label: `"><b>`, URL: "javascript:alert(1)"},
	}.Compose("k", "ada@example.test")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img src=x", `"><b>`, "javascript:"} {
		if strings.Contains(m.HTML, bad) {
			t.Errorf("HTML has %q", bad)
		}
	}
}

func TestEmailWithoutButtonHasNone(t *testing.T) {
	m, err := mail.Email{Subject: "Hi", Heading: "Hi", Paragraphs: []string{"Bye."}}.Compose("k", "ada@example.test")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(m.HTML, "border-radius") || strings.Contains(m.Text, "://") {
		t.Errorf("%s\n%s", m.Text, m.HTML)
	}
}

func TestEmailQuotesLineByLine(t *testing.T) {
	m, err := mail.Email{Subject: "Hi", Heading: "Hi", Paragraphs: []string{"You wrote:"}, Quote: "<b>One</b>\n\n  .two"}.Compose("k", "ada@example.test")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.Text, "You wrote:\n\n> <b>One</b>\n> \n>   .two\n") {
		t.Errorf("text:\n%s", m.Text)
	}
	if !strings.Contains(m.HTML, "&lt;b&gt;One&lt;/b&gt;\n\n  .two</div>") || !strings.Contains(m.HTML, "white-space:pre-wrap") {
		t.Errorf("HTML:\n%s", m.HTML)
	}
}
