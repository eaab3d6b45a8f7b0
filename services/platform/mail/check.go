package mail

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
)

// check fills the templates with the samples, and compares the values that they show with those that the
// built-in ones show.
func (t *Templates) check() error {
	var errs []error
	for _, sample := range t.samples {
		own := t.own[sample.Template]
		if name, ok := own.unknown(sample.Values); ok {
			return fmt.Errorf("%s.txt: there is no {{.%s}}; there are %s", sample.Template, name, strings.Join(names(sample.Values), ", "))
		}
		if _, err := t.Compose(sample); err != nil {
			return err
		}
		errs = append(errs, own.lacks(t.builtIn.own[sample.Template], sample))
	}
	return errors.Join(append(errs, t.layout.lacks())...)
}

// firstMark is the first of Unicode's characters for private use, which nobody's words have.
const firstMark = '\ue000'

// marked returns the sample with values that are found again wherever the template shows them, even a part of
// them: each one character, at least as long as the value. What is empty stays so.
func marked(sample Email) (e Email, marks map[string]string) {
	marks, e = map[string]string{}, sample
	e.Values = map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(sample.Values)) {
		if value := sample.Values[name]; value != "" {
			marks[name] = string(firstMark + rune(i))
			e.Values[name] = strings.Repeat(marks[name], (len(value)+2)/3) // each has three bytes
		} else {
			e.Values[name] = ""
		}
	}
	return e, marks
}

// lacks is an error that names a value of the sample that the built-in template shows, and this one does not.
func (t *template) lacks(builtIn *template, sample Email) error {
	e, marks := marked(sample)
	was, err := builtIn.fill(e)
	if err != nil {
		return fmt.Errorf("%s.txt: %w", sample.Template, err)
	}
	is, err := t.fill(e)
	if err != nil {
		return fmt.Errorf("%s.txt: %w", sample.Template, err)
	}
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		if strings.Contains(was.words(), marks[name]) && !strings.Contains(is.words(), marks[name]) {
			return fmt.Errorf("%s.txt lacks {{.%s}}, which the built-in one shows", sample.Template, name)
		}
	}
	return nil
}

// words are what a reader of the email sees of the template. The preview is not: few programs show it.
func (v view) words() string {
	words := append([]string{v.Subject, v.Heading, v.Reason, v.Action.Label}, v.Paragraphs...)
	if v.Leave != nil {
		words = append(words, v.Leave.Label)
	}
	return strings.Join(words, "\n")
}

// lacks is an error that names something that every layout has to show, and this one does not.
func (l layout) lacks() error {
	parts := []struct{ name, value string }{
		{"{{.Heading}}", "a-heading"}, {"{{range .Paragraphs}}", "a-paragraph"}, {"{{range .Paragraphs}}", "another-paragraph"}, {"{{.Quote}}", "a-quote"},
		{"{{.Action.Label}}", "an-action"}, {"{{.Action.URL}}", "https://action.example"}, {"{{.Reason}}", "a-reason"},
		{"{{.Leave.Label}}", "a-way-out"}, {"{{.Leave.URL}}", "https://leave.example"}, {"{{.Support}}", "support@help.example"},
	}
	text, rich, err := l.compose(view{
		Subject: "a-subject", Preview: "a-preview", Heading: parts[0].value, Paragraphs: []string{parts[1].value, parts[2].value}, Quote: parts[3].value,
		Action: &action{Label: parts[4].value, URL: parts[5].value}, Reason: parts[6].value,
		Leave: &action{Label: parts[7].value, URL: parts[8].value}, Support: parts[9].value, Brand: "a-brand", MarkID: markID,
	})
	if err != nil {
		return err
	}
	for _, part := range parts {
		if !strings.Contains(text, part.value) {
			return fmt.Errorf("%s lacks %s", layoutText, part.name)
		}
		if !strings.Contains(html.UnescapeString(rich), part.value) {
			return fmt.Errorf("%s lacks %s", layoutHTML, part.name)
		}
	}
	return nil
}
