package github

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
)

//go:embed page/index.html
var indexSource string

var indexPage = template.Must(template.New("index").Parse(indexSource))

// index shows a person what the stand-in serves.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	var releases []releaseJSON
	for _, r := range s.store.all() {
		releases = append(releases, s.encodeRelease(r))
	}
	var body bytes.Buffer
	data := map[string]any{"Owner": s.owner(), "Repo": s.repo(), "Releases": releases, "Usage": s.Usage()}
	if err := indexPage.Execute(&body, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = body.WriteTo(w) // the browser went away
}
