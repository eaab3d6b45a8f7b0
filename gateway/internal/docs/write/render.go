package main

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

//go:embed page.gohtml style.css
var files embed.FS

// render returns the page of a document that has been validated.
func render(doc *openapi3.T) ([]byte, error) {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	page, err := template.New("page.gohtml").Funcs(template.FuncMap{"paragraphs": paragraphs, "text": text, "type": linked(doc.Components.Schemas)}).
		ParseFS(files, "page.gohtml")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	var html bytes.Buffer
	err = page.Execute(&html, view{
		Title: doc.Info.Title, Description: doc.Info.Description,
		Style:  template.CSS(style), //nolint:gosec // our own file, which the policy's hash stands for
		Groups: groups(doc), Failures: *doc.Components.Responses[failure].Value.Description, Schemas: schemas(doc),
	})
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	return html.Bytes(), nil
}

type view struct {
	Title, Description string
	Style              template.CSS
	Groups             []group
	// Failures says what all operations answer when they fail.
	Failures string
	Schemas  []schema
}

// failure is the answer of every operation besides its own, which the page describes once.
const failure = "Error"

type group struct {
	Name, Description string
	Operations        []operation
}

type operation struct {
	ID, Method, Path, Summary, Description, Access string
	Parameters                                     []field
	Body                                           string
	Answers                                        []answer
}

type answer struct{ Status, Description, Schema string }

// groups lists the operations under their tags, in the document's order of tags
// and by path within.
func groups(doc *openapi3.T) []group {
	var all []group
	for _, tag := range doc.Tags {
		all = append(all, group{Name: tag.Name, Description: tag.Description})
	}
	for _, path := range doc.Paths.InMatchingOrder() {
		item := doc.Paths.Find(path)
		for method, op := range item.Operations() {
			i := slices.IndexFunc(all, func(g group) bool { return slices.Contains(op.Tags, g.Name) })
			if i >= 0 {
				all[i].Operations = append(all[i].Operations, describe(method, path, item, op))
			}
		}
	}
	for _, g := range all {
		slices.SortFunc(g.Operations, func(a, b operation) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	}
	return all
}

func describe(method, path string, item *openapi3.PathItem, op *openapi3.Operation) operation {
	o := operation{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Description: op.Description, Access: access(op)}
	for _, p := range append(slices.Clone(item.Parameters), op.Parameters...) {
		o.Parameters = append(o.Parameters, field{
			Name: p.Value.Name, Type: typeOf(p.Value.Schema), Description: p.Value.Description, Required: p.Value.Required,
		})
	}
	if op.RequestBody != nil {
		o.Body = content(op.RequestBody.Value.Content)
	}
	for status, r := range op.Responses.Map() {
		if refName(r.Ref) != failure {
			o.Answers = append(o.Answers, answer{status, *r.Value.Description, content(r.Value.Content)})
		}
	}
	slices.SortFunc(o.Answers, func(a, b answer) int { return strings.Compare(a.Status, b.Status) })
	return o
}

func access(op *openapi3.Operation) string {
	if op.Security == nil {
		return ""
	}
	var ways []string
	for _, requirement := range *op.Security {
		if len(requirement) == 0 {
			ways = append(ways, "anyone")
		}
		for name := range requirement {
			ways = append(ways, name)
		}
	}
	return strings.Join(ways, " or ")
}

// text is a description with what stands in backticks as code.
func text(s string) template.HTML {
	var html strings.Builder
	for i, part := range strings.Split(s, "`") {
		if part = template.HTMLEscapeString(part); i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		html.WriteString(part)
	}
	return template.HTML(html.String()) //nolint:gosec // each part is escaped above
}

// linked makes a type's schemas links to their descriptions.
func linked(schemas openapi3.Schemas) func(string) template.HTML {
	return func(typ string) template.HTML {
		words := strings.Split(typ, " ")
		for i, word := range words {
			words[i] = template.HTMLEscapeString(word)
			if schemas[word] != nil {
				words[i] = `<a href="#schema-` + words[i] + `">` + words[i] + `</a>`
			}
		}
		return template.HTML(strings.Join(words, " ")) //nolint:gosec // each word is escaped above
	}
}

func paragraphs(s string) []string {
	var all []string
	for p := range strings.SplitSeq(s, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}
