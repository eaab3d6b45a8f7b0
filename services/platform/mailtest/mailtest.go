// Package mailtest checks what a service sends.
package mailtest

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
)

// maxHTML is what Gmail shows of an email before it cuts the rest off, in bytes.
const maxHTML = 102_000

// attributes with which an email would load something.
var loads = []string{"src", "srcset", "background", "poster", "data"}

// Check composes the samples of all templates, and fails if a mail program would not show the HTML of one as it is
// meant: each stands in tables, loads nothing, has a language and a title, and describes its pictures.
func Check(t *testing.T, emails mail.BuiltIn) {
	t.Helper()
	templates, err := emails.Templates("")
	errtest.None(t, err)
	for _, sample := range emails.Samples {
		m, err := templates.Compose(sample)
		errtest.None(t, err)
		if strings.Contains(m.Text+m.Subject, "{{") || strings.Contains(m.Text+m.Subject, "<no value>") {
			t.Errorf("%s: a value is missing: %s\n%s", sample.Template, m.Subject, m.Text)
		}
		for _, problem := range Lint(m.HTML) {
			t.Errorf("%s: %s", sample.Template, problem)
		}
	}
}

// Lint returns what is wrong with the HTML of an email.
func Lint(source string) (problems []string) {
	if len(source) > maxHTML {
		problems = append(problems, "it is cut off by Gmail")
	}
	document, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return append(problems, err.Error())
	}
	var title string
	for node := range document.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		if node.Data == "title" && node.FirstChild != nil {
			title = strings.TrimSpace(node.FirstChild.Data)
		}
		problems = append(problems, lintElement(node)...)
	}
	if title == "" {
		problems = append(problems, "it has no title")
	}
	if !strings.Contains(source, `name="color-scheme"`) || !strings.Contains(source, "prefers-color-scheme: dark") {
		problems = append(problems, "it does not say how it looks in a dark mailbox")
	}
	return problems
}

func lintElement(node *html.Node) (problems []string) {
	switch node.Data {
	case "html":
		if attribute(node, "lang") == "" {
			problems = append(problems, "it has no language")
		}
	case "table":
		if attribute(node, "role") != "presentation" {
			problems = append(problems, "a table is read out as one of data")
		}
	case "img":
		if !slices.ContainsFunc(node.Attr, func(a html.Attribute) bool { return a.Key == "alt" }) {
			problems = append(problems, "a picture has no alt")
		}
	case "script", "link", "iframe", "form", "object", "embed", "svg", "video", "base":
		problems = append(problems, "mail programs remove <"+node.Data+">")
	}
	for _, a := range node.Attr {
		switch {
		case slices.Contains(loads, a.Key) && !strings.HasPrefix(a.Val, "cid:"):
			problems = append(problems, "it loads "+a.Val)
		case strings.Contains(a.Val, "url("), strings.HasPrefix(a.Key, "on"):
			problems = append(problems, "it has "+a.Key+"="+a.Val)
		case a.Key == "style" && (strings.Contains(a.Val, "flex") || strings.Contains(a.Val, "grid")):
			problems = append(problems, "Outlook does not know "+a.Val)
		}
	}
	return problems
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
