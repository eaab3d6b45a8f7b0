package mail

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	texttemplate "text/template"

	"fledge.dev/services/platform/brand"
)

// template is the words of one kind of email: a head of fields, an empty line, and paragraphs
// between empty lines.
//
//	Subject: You have access to {{.Brand}}
//	Heading: You're in
//	Action: Get the app
//
//	Sign in with this email address.
//
// Each field and the paragraphs are templates (text/template) of Email.Values, which name
// nothing else.
type template struct {
	source     string
	fields     map[string]*texttemplate.Template
	paragraphs *texttemplate.Template
}

// The fields of a template; all but Leave and Preview must be there.
const (
	fieldSubject = "Subject"
	// fieldPreview is what inboxes show beside the subject; without it, the first paragraph.
	fieldPreview = "Preview"
	fieldHeading = "Heading"
	// fieldAction is the label of the button.
	fieldAction = "Action"
	// fieldReason says why the reader got this, in small print.
	fieldReason = "Reason"
	// fieldLeave is the label of the link that ends such emails, in small print, too.
	fieldLeave = "Leave"
)

var fields = []string{fieldSubject, fieldPreview, fieldHeading, fieldAction, fieldReason, fieldLeave}

func parseTemplate(source string) (*template, error) {
	head, body, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(source, "\r\n", "\n"))+"\n", "\n\n")
	t := &template{source: source, fields: map[string]*texttemplate.Template{}}
	for line := range strings.SplitSeq(strings.TrimSpace(head), "\n") {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case !ok || !slices.Contains(fields, name):
			return nil, fmt.Errorf("%q is no field: there are %s, then an empty line and the paragraphs", line, strings.Join(fields, ", "))
		case t.fields[name] != nil:
			return nil, fmt.Errorf("%s is there twice", name)
		}
		parsed, err := parseText(name, strings.TrimSpace(value))
		if err != nil {
			return nil, err
		}
		t.fields[name] = parsed
	}
	for _, name := range []string{fieldSubject, fieldHeading, fieldAction, fieldReason} {
		if t.fields[name] == nil {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	if strings.TrimSpace(body) == "" {
		return nil, errors.New("the paragraphs are missing: an empty line goes before them")
	}
	var err error
	t.paragraphs, err = parseText("the paragraphs", body)
	return t, err
}

func parseText(name, source string) (*texttemplate.Template, error) {
	return texttemplate.New(name).Option("missingkey=error").Parse(source)
}

var (
	placeholder = regexp.MustCompile(`\{\{.*?\}\}`)
	named       = regexp.MustCompile(`\.(\w+)`)
)

// unknown returns a name in the template that none of the values has.
func (t *template) unknown(values map[string]string) (name string, ok bool) {
	known := names(values)
	for _, p := range placeholder.FindAllString(t.source, -1) {
		for _, found := range named.FindAllStringSubmatch(p, -1) {
			if !slices.Contains(known, found[1]) {
				return found[1], true
			}
		}
	}
	return "", false
}

// names are those that a template with the values can use.
func names(values map[string]string) []string {
	return slices.Sorted(maps.Keys(withShared(values)))
}

// withShared adds what all templates can name.
func withShared(values map[string]string) map[string]string {
	all := map[string]string{"Brand": brand.Name, "Support": brand.SupportEmail}
	maps.Copy(all, values)
	return all
}

// action is a link with its label.
type action struct{ Label, URL string }

// view is what a layout shows.
type view struct {
	Subject, Preview, Heading, Reason, Quote string
	Paragraphs                               []string
	Action, Leave                            *action
	Brand, Support, MarkID                   string
}

// part is something that every layout has to show.
type part struct{ name, value string }

func (v view) parts() []part {
	first, _, _ := strings.Cut(v.Quote, "\n")
	parts := []part{
		{"{{.Heading}}", v.Heading}, {"{{.Quote}}", first}, {"{{.Action.Label}}", v.Action.Label}, {"{{.Action.URL}}", v.Action.URL},
		{"{{.Reason}}", v.Reason}, {"{{.Support}}", v.Support},
	}
	for _, paragraph := range v.Paragraphs {
		parts = append(parts, part{"{{range .Paragraphs}}", paragraph})
	}
	if v.Leave != nil {
		parts = append(parts, part{"{{.Leave.Label}}", v.Leave.Label}, part{"{{.Leave.URL}}", v.Leave.URL})
	}
	return parts
}

// fill puts the email's values into the template.
func (t *template) fill(e Email) (v view, err error) {
	values := withShared(e.Values)
	filled := map[string]string{}
	for name, field := range t.fields {
		text, err := execute(field, values)
		if err != nil {
			return v, err
		}
		filled[name] = oneLine(text)
	}
	body, err := execute(t.paragraphs, values)
	if err != nil {
		return v, err
	}
	v = view{
		Subject: cut(filled[fieldSubject]), Preview: filled[fieldPreview], Heading: filled[fieldHeading], Reason: filled[fieldReason],
		Quote: e.Quote, Brand: brand.Name, Support: brand.SupportEmail, MarkID: markID,
		Action: &action{Label: filled[fieldAction], URL: e.Action},
	}
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		if paragraph = oneLine(paragraph); paragraph != "" {
			v.Paragraphs = append(v.Paragraphs, paragraph)
		}
	}
	if len(v.Paragraphs) == 0 {
		return v, errors.New("the paragraphs are empty")
	}
	if v.Preview == "" {
		v.Preview = v.Paragraphs[0]
	}
	if e.Leave != "" {
		if filled[fieldLeave] == "" {
			return v, errors.New("Leave is missing") //nolint:staticcheck // the field's name
		}
		v.Leave = &action{Label: filled[fieldLeave], URL: e.Leave}
	}
	return v, nil
}

func execute(t interface {
	Execute(w io.Writer, data any) error
}, data any,
) (string, error) {
	var out strings.Builder
	err := t.Execute(&out, data)
	return out.String(), err
}

// oneLine joins the lines of a file.
func oneLine(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))
}

// layout is what all emails share: what surrounds their words.
type layout struct {
	text *texttemplate.Template
	html *htmltemplate.Template
}

func (l layout) compose(v view) (text, html string, err error) {
	if text, err = execute(l.text, v); err != nil {
		return "", "", err
	}
	html, err = execute(l.html, v)
	return text, html, err
}

// quoted marks each line as mail programs do (RFC 3676, section 4.5).
func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }
