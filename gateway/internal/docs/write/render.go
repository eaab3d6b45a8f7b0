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
	page, err := template.New("page.gohtml").Funcs(template.FuncMap{"paragraphs": paragraphs}).ParseFS(files, "page.gohtml")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	var html bytes.Buffer
	err = page.Execute(&html, view{
		Title: doc.Info.Title, Description: doc.Info.Description,
		Style:  template.CSS(style), //nolint:gosec // our own file, which the policy's hash stands for
		Groups: groups(doc), Schemas: schemas(doc),
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
	Schemas            []schema
}

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
		text := ""
		if r.Value.Description != nil {
			text = *r.Value.Description
		}
		o.Answers = append(o.Answers, answer{status, text, content(r.Value.Content)})
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

func paragraphs(s string) []string {
	var all []string
	for p := range strings.SplitSeq(s, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}
