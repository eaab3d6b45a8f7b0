package mail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/mailtest"
)

const letter = `Subject: {{.Name}} is in
Preview: Your place is ready.
Heading: You’re in
Action: Download for Mac
Reason: You joined the {{.Brand}} waitlist.
Leave: Leave the list

First,
with {{.Name}}.
{{if .Late}}
Sorry that it took so long.
{{end}}
Second & last.
`

func anEmail(name string) mail.Email {
	return mail.Email{
		Key: "approved/1", To: "ada@example.test", Template: "letter", Values: map[string]string{"Name": name, "Late": ""},
		Action: "https://fledge.example/closed-beta?a=1&b=2", Leave: "https://fledge.example/leave#1", Quote: "<b>One</b>\n\n  .two",
	}
}

var letters = mail.BuiltIn{Files: fstest.MapFS{"templates/letter.txt": {Data: []byte(letter)}}, Samples: []mail.Email{anEmail("Zoë O'Neill")}}

func compose(t *testing.T, dir string, e mail.Email) mail.Message {
	t.Helper()
	templates, err := letters.Templates(dir)
	errtest.None(t, err)
	m, err := templates.Compose(e)
	errtest.None(t, err)
	return m
}

func TestEmailReadsWellAsText(t *testing.T) {
	m := compose(t, "", anEmail("Ada"))
	want := `You’re in

First, with Ada.

Second & last.

> <b>One</b>
> 
>   .two

Download for Mac:
https://fledge.example/closed-beta?a=1&b=2

-- 
Fledge
You joined the Fledge waitlist.
Leave the list: https://fledge.example/leave#1
Questions? Write to support@fledge.example
`
	if m.Text != want || m.Subject != "Ada is in" {
		t.Errorf("%s\ngot:\n%s\nwant:\n%s", m.Subject, m.Text, want)
	}
	late := anEmail("Ada")
	late.Values["Late"] = "true"
	if m := compose(t, "", late); !strings.Contains(m.Text, "with Ada.\n\nSorry that it took so long.\n\nSecond") {
		t.Errorf("got:\n%s", m.Text)
	}
}

func TestEmailsNameTheInstallationsAddressForQuestions(t *testing.T) {
	templates, err := letters.Templates("")
	errtest.None(t, err)
	templates.AnswerTo("help@launch.test")
	m, err := templates.Compose(anEmail("Ada"))
	errtest.None(t, err)
	for _, part := range []string{m.Text, m.HTML} {
		if !strings.Contains(part, "help@launch.test") || strings.Contains(part, "support@fledge.example") {
			t.Errorf("the address for questions is not the installation's: %s", part)
		}
	}
}

func TestEmailEscapesWhatPeopleWrote(t *testing.T) {
	e := anEmail(`<script>alert(1)</script>` + strings.Repeat("日", 100))
	e.Action = "javascript:alert(1)"
	m := compose(t, "", e)
	for _, bad := range []string{"<script", "<b>One", "javascript:"} {
		if strings.Contains(m.HTML, bad) {
			t.Errorf("HTML has %q", bad)
		}
	}
	if len(m.Subject) > 200 || !strings.HasSuffix(m.Subject, "日…") {
		t.Errorf("subject %q", m.Subject)
	}
}

func TestTheBuiltInLayoutSuitsMailPrograms(t *testing.T) { mailtest.Check(t, letters) }

// installing writes the file into a directory of its own.
func installing(t *testing.T, file, content string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	errtest.None(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
	if err := os.Mkdir(filepath.Join(dir, "..data"), 0o700); err != nil { // as a ConfigMap has it
		t.Fatal(err)
	}
	return dir
}

func TestAnInstallationHasItsOwnWords(t *testing.T) {
	dir := installing(t, "letter.txt", strings.ReplaceAll(strings.ReplaceAll(letter, "Second & last.", "Bis bald!"), "\n", "\r\n"))
	m := compose(t, dir, anEmail("Ada"))
	if !strings.Contains(m.Text, "with Ada.\n\nBis bald!\n") || !strings.Contains(m.HTML, "Bis bald!") {
		t.Errorf("got:\n%s", m.Text)
	}
	layout, err := os.ReadFile("layout/layout.html")
	errtest.None(t, err)
	dir = installing(t, "layout.html", strings.Replace(string(layout), `align="center"`, `align="left"`, 1))
	if m := compose(t, dir, anEmail("Ada")); !strings.Contains(m.HTML, `align="left"`) {
		t.Error("the layout is the built-in one")
	}
}

func TestWhatAnInstallationGotWrongIsNamed(t *testing.T) {
	file, err := os.ReadFile("layout/layout.html")
	errtest.None(t, err)
	layout := string(file)
	for want, installed := range map[string][2]string{
		"lettre.txt: this service has no such template; it has layout.html, layout.txt, letter.txt": {"lettre.txt", letter},
		"letter: this service has no such template":                                                 {"letter", letter},
		"letter.txt lacks {{.Name}}, which the built-in one shows":                                  {"letter.txt", strings.ReplaceAll(letter, "{{.Name}}", "You")},
		"letter.txt: there is no {{.Nickname}}; there are Brand, Late, Name, Support":               {"letter.txt", strings.Replace(letter, "{{if .Late}}", "{{if .Late}}{{.Nickname}}", 1)},
		"letter.txt: template: the paragraphs:":                                                     {"letter.txt", strings.Replace(letter, "{{end}}", "", 1)},
		"letter.txt: Heading is missing":                                                            {"letter.txt", strings.Replace(letter, "Heading: You’re in\n", "", 1)},
		"letter.txt: \"Betreff: Hi\" is no field":                                                   {"letter.txt", "Betreff: Hi\n" + letter},
		"letter.txt: invalid (mail_incomplete): Heading is empty":                                   {"letter.txt", strings.Replace(letter, "Heading: You’re in", "Heading: {{with .Late}}{{.}}{{end}}", 1)},
		"letter.txt: invalid (mail_incomplete): Reason is empty":                                    {"letter.txt", strings.Replace(letter, "Reason: You joined the {{.Brand}} waitlist.", "Reason:", 1)},
		"letter.txt: Action is there twice":                                                         {"letter.txt", "Action: a\n" + letter},
		"letter.txt: the paragraphs are missing":                                                    {"letter.txt", letter[:strings.Index(letter, "\n\n")]},
		"letter.txt: Leave is missing":                                                              {"letter.txt", strings.Replace(letter, "Leave: Leave the list\n", "", 1)},
		"letter.txt: the paragraphs are empty":                                                      {"letter.txt", letter[:strings.Index(letter, "\n\n")] + "\n\n{{if .Late}}x{{end}}"},
		"layout.html lacks {{.Action.URL}}":                                                         {"layout.html", strings.ReplaceAll(layout, `{{.URL}}" style="display:inline-block`, `#" style="display:inline-block`)},
		"layout.html lacks {{.Leave.URL}}":                                                          {"layout.html", strings.ReplaceAll(layout, `{{with .Leave}}<a class="soft" href="{{.URL}}"`, `{{with .Leave}}<a class="soft" href="#"`)},
		"layout.html lacks {{range .Paragraphs}}":                                                   {"layout.html", strings.ReplaceAll(layout, `{{.}}</td></tr>`, `</td></tr>`)},
		"letter.txt: there is no {{.Surname}}; there are Brand, Late, Name, Support":                {"letter.txt", strings.Replace(letter, "{{if .Late}}", "{{if .Late}}{{with $x := printf `%s`\n(len $.Surname)}}{{end}}", 1)},
		"layout.txt lacks {{.Quote}}":                                                               {"layout.txt", "{{.Heading}}{{range .Paragraphs}}{{.}}{{end}}{{.Action.Label}}{{.Action.URL}}{{.Reason}}{{.Leave.Label}}{{.Leave.URL}}{{.Support}}"},
	} {
		_, err := letters.Templates(installing(t, installed[0], installed[1]))
		if err == nil || !strings.HasPrefix(err.Error(), "MAIL_TEMPLATES_DIR: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := letters.Templates(filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("a directory that is missing is none")
	}
}

// TestValuesAreMissedWhateverTheSamplesAre: one may be a part of another, or of the words.
func TestValuesAreMissedWhateverTheSamplesAre(t *testing.T) {
	sample := anEmail("2 in TKT-000123, by the month")
	sample.Values["Count"], sample.Values["Interval"], sample.Values["List"] = "2", "month", "A\n\nB"
	words := letter + "\n{{.Count}}, by the {{.Interval}}:\n\n{{.List}}\n"
	emails := mail.BuiltIn{Files: fstest.MapFS{"templates/letter.txt": {Data: []byte(words)}}, Samples: []mail.Email{sample}}
	for name, without := range map[string]string{"Count": "{{.Count}}, by", "Interval": "by the {{.Interval}}"} {
		dir := installing(t, "letter.txt", strings.Replace(words, without, "by the month", 1))
		if _, err := emails.Templates(dir); err == nil || !strings.Contains(err.Error(), "letter.txt lacks {{."+name+"}}") {
			t.Errorf("without {{.%s}}: %v", name, err)
		}
	}
	for _, shown := range []string{`{{printf "%.3s" .Count}}`, "{{/* see docs.example */}}{{.Count}}", "{{with\n.Count}}{{.}}{{end}}", "{{.Count}}{{slice .Name 0 3}}"} {
		if _, err := emails.Templates(installing(t, "letter.txt", strings.Replace(words, "{{.Count}}", shown, 1))); err != nil {
			t.Errorf("%s: %v", shown, err)
		}
	}
	file, err := os.ReadFile("layout/layout.txt")
	errtest.None(t, err)
	dir := installing(t, "layout.txt", strings.Replace(string(file), "{{range .Paragraphs}}\n", "{{range .Paragraphs}}", 1))
	if _, err := emails.Templates(dir); err != nil {
		t.Errorf("paragraphs without empty lines: %v", err)
	}
}

func TestOpeningsMatchHowEmailsBegin(t *testing.T) {
	for heading, want := range map[string]string{
		"You’re in now, {{.Name}}":       `^You’re +in +now, +.*\nFirst,\s+with\s+.*\.(\s|$)`,
		"You’re in, so ask {{.Support}}": `^You’re +in, +so +ask +.*\nFirst,\s+with\s+.*\.(\s|$)`, // or another address before
		"For {{.Name}}":                  "",                                                      // which is too little
	} {
		words := strings.Replace(letter, "You’re in", heading, 1)
		templates, err := mail.BuiltIn{Files: fstest.MapFS{"templates/letter.txt": {Data: []byte(words)}}, Samples: letters.Samples}.Templates("")
		errtest.None(t, err)
		found, err := templates.Openings("letter")
		if err != nil || (want == "") != (len(found) == 0) || want != "" && found[0].String() != want {
			t.Errorf("%s: %v, %v", heading, found, err)
		}
		if _, err := templates.Openings("lettre"); err == nil {
			t.Error("what is no template has openings")
		}
	}
}

func TestEachTemplateIsShownBySamples(t *testing.T) {
	files := fstest.MapFS{"templates/letter.txt": {Data: []byte(letter)}, "templates/other.txt": {Data: []byte(letter)}}
	if _, err := (mail.BuiltIn{Files: files, Samples: letters.Samples}).Templates(""); err == nil || !strings.Contains(err.Error(), "other.txt has no sample") {
		t.Errorf("got %v", err)
	}
}
