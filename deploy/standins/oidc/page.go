package oidc

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
)

//go:embed page
var pageFiles embed.FS

var pages = template.Must(template.ParseFS(pageFiles, "page/*.html"))

func assets() fs.FS {
	sub, err := fs.Sub(pageFiles, "page/assets")
	if err != nil {
		panic(err) // the directory is part of the binary
	}
	return sub
}

// accountsPage is what accounts.html shows; without Request only the Problem.
type accountsPage struct {
	Provider string
	Request  string
	Problem  string
	Email    string
	People   []Person
}

// postPage is what post.html shows.
type postPage struct {
	Provider string
	Action   string
	Fields   map[string]string
}

func (i *issuer) renderAccounts(w http.ResponseWriter, status int, p accountsPage) {
	p.Provider, p.People = i.kind.label, i.people
	render(w, status, "accounts.html", p)
}

func (i *issuer) renderPost(w http.ResponseWriter, action string, values url.Values) {
	fields := make(map[string]string, len(values))
	for name := range values {
		fields[name] = values.Get(name)
	}
	render(w, http.StatusOK, "post.html", postPage{Provider: i.kind.label, Action: action, Fields: fields})
}

func render(w http.ResponseWriter, status int, name string, data any) {
	var body bytes.Buffer
	if err := pages.ExecuteTemplate(&body, name, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // the browser went away
}
