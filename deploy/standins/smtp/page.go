package smtp

import (
	"embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"fledge.dev/deploy/standins/loopback"
)

//go:embed page
var pageFiles embed.FS

const (
	pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	// A mail may style itself and show its own pictures; it may not run
	// scripts, call out, or act as this origin.
	mailPolicy = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'"
)

// web serves the page and the JSON of a mailbox.
type web struct {
	box  *mailbox
	page *template.Template
}

func newHandler(box *mailbox) http.Handler {
	w := &web{box: box, page: template.Must(template.New("mail.html").Funcs(template.FuncMap{
		"clock": func(t time.Time) string { return t.Local().Format("2 Jan 15:04:05") },
		"iso":   func(t time.Time) string { return t.Format(time.RFC3339) },
	}).ParseFS(pageFiles, "page/mail.html"))}
	assets, err := fs.Sub(pageFiles, "page/assets")
	if err != nil {
		panic(err) // the name above is a constant that embed has checked
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", w.index)
	mux.HandleFunc("GET /mail/{id}", w.open)
	mux.HandleFunc("GET /messages", w.list)
	mux.HandleFunc("GET /messages/{id}", w.one)
	mux.HandleFunc("GET /messages/{id}/html", w.body)
	mux.HandleFunc("GET /messages/{id}/source", w.source)
	mux.HandleFunc("GET /messages/{id}/inline/{cid}", w.inline)
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", http.FileServerFS(assets)))
	return loopback.Handler(loopback.Page(pagePolicy, mux))
}

// view is what the page shows. To is the recipient that the list is cut down to.
type view struct {
	To       string
	Messages []*Message
	Open     *Message
}

// Header is the opened message's header in its own order.
func (v view) Header() []field { return v.Open.header }

func (s *web) index(w http.ResponseWriter, r *http.Request) {
	to := r.FormValue("to")
	v := view{To: to, Messages: s.box.list(to)}
	if len(v.Messages) > 0 {
		v.Open = v.Messages[0]
	}
	s.render(w, v)
}

func (s *web) open(w http.ResponseWriter, r *http.Request) {
	if message := s.find(w, r); message != nil {
		to := r.FormValue("to")
		s.render(w, view{To: to, Messages: s.box.list(to), Open: message})
	}
}

func (s *web) render(w http.ResponseWriter, v view) {
	var html strings.Builder
	if err := s.page.Execute(&html, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, "text/html; charset=utf-8", []byte(html.String()))
}

func (s *web) list(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, map[string]any{"messages": s.box.list(r.FormValue("to"))})
}

func (s *web) one(w http.ResponseWriter, r *http.Request) {
	if message := s.find(w, r); message != nil {
		writeJSON(w, message)
	}
}

// body serves the HTML part for the frame: links open beside the page, and
// pictures that travel with the mail are found.
func (s *web) body(w http.ResponseWriter, r *http.Request) {
	message := s.find(w, r)
	if message == nil {
		return
	}
	html := strings.ReplaceAll(message.HTML, `"cid:`, `"inline/`)
	html = strings.Replace(html, "<head>", `<head><base target="_blank">`, 1)
	w.Header().Set("Content-Security-Policy", mailPolicy)
	write(w, "text/html; charset=utf-8", []byte(html))
}

func (s *web) source(w http.ResponseWriter, r *http.Request) {
	if message := s.find(w, r); message != nil {
		write(w, "text/plain; charset=utf-8", message.source)
	}
}

func (s *web) inline(w http.ResponseWriter, r *http.Request) {
	message := s.find(w, r)
	if message == nil {
		return
	}
	found, ok := message.inline[r.PathValue("cid")]
	if !ok || !strings.HasPrefix(found.contentType, "image/") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", mailPolicy)
	write(w, found.contentType, found.body)
}

// find answers 404 itself and then returns nil.
func (s *web) find(w http.ResponseWriter, r *http.Request) *Message {
	message := s.box.get(r.PathValue("id"))
	if message == nil {
		http.NotFound(w, r)
	}
	return message
}

func writeJSON(w http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, "application/json", body)
}

// write ignores the error: the reader has gone and nobody is left to tell.
func write(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(body)
}
