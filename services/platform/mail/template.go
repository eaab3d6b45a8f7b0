package mail

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io"
	"maps"
	"slices"
	"strings"
	texttemplate "text/template"
	"text/template/parse"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/fault"
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
	fields     map[string]*texttemplate.Template
	paragraphs *texttemplate.Template
}

// The fields of a template.
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

var (
	fields = []string{fieldSubject, fieldPreview, fieldHeading, fieldAction, fieldReason, fieldLeave}
	// required are those that must be there, and that no values may leave empty.
	required = []string{fieldSubject, fieldHeading, fieldAction, fieldReason}
)

func parseTemplate(source string) (*template, error) {
	head, body, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(source, "\r\n", "\n"))+"\n", "\n\n")
	t := &template{fields: map[string]*texttemplate.Template{}}
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
	for _, name := range required {
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

// unknown returns a name in the template that none of the values has.
func (t *template) unknown(values map[string]string) (name string, ok bool) {
	known := names(values)
	look := func(found string) {
		if !ok && !slices.Contains(known, found) {
			name, ok = found, true
		}
	}
	for _, parsed := range append(slices.Collect(maps.Values(t.fields)), t.paragraphs) {
		for _, defined := range parsed.Templates() {
			if defined.Tree != nil {
				eachName(defined.Root, look)
			}
		}
	}
	return name, ok
}

// eachName calls found for each name of a value in the node: .Name or $.Name.
func eachName(node parse.Node, found func(name string)) {
	branch := func(b *parse.BranchNode) {
		eachName(b.Pipe, found)
		eachName(b.List, found)
		if b.ElseList != nil {
			eachName(b.ElseList, found)
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, part := range n.Nodes {
			eachName(part, found)
		}
	case *parse.ActionNode:
		eachName(n.Pipe, found)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			eachName(n.Pipe, found)
		}
	case *parse.PipeNode:
		for _, command := range n.Cmds {
			eachName(command, found)
		}
	case *parse.CommandNode:
		for _, argument := range n.Args {
			eachName(argument, found)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.ChainNode:
		eachName(n.Node, found)
	case *parse.FieldNode:
		found(n.Ident[0])
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			found(n.Ident[1])
		}
	}
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
	for _, name := range required {
		if filled[name] == "" {
			return v, fault.New(fault.Invalid, "mail_incomplete", name+" is empty")
		}
	}
	body, err := execute(t.paragraphs, values)
	if err != nil {
		return v, err
	}
	v = view{
		Subject: Cut(filled[fieldSubject], maxSubject), Preview: filled[fieldPreview], Heading: filled[fieldHeading], Reason: filled[fieldReason],
		Quote: e.Quote, Brand: brand.Name, Support: values["Support"], MarkID: markID,
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
