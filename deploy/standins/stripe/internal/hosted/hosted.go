// Package hosted serves the pages that Stripe would serve (checkout, billing portal,
// invoices), and one for developers. They need no script.
package hosted

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"time"

	"fledge.dev/deploy/standins/loopback"
	"fledge.dev/deploy/standins/stripe/internal/account"
	"fledge.dev/deploy/standins/stripe/internal/webhooks"
)

//go:embed page
var files embed.FS

// Options configures New.
type Options struct {
	Account *account.Account
	// Business is the name that the pages sell under.
	Business string
	// Deliveries tells how the webhook is doing.
	Deliveries func() webhooks.Stats
}

type pages struct {
	Options
	templates *template.Template
}

// New returns the handler of the pages.
func New(opts Options) http.Handler {
	p := &pages{Options: opts, templates: template.Must(template.New("").Funcs(template.FuncMap{
		"money": account.Money,
		"day":   func(t int64) string { return time.Unix(t, 0).UTC().Format("2 January 2006") },
		"clock": func(t int64) string { return time.Unix(t, 0).UTC().Format("Monday, 2 January 2006, 15:04:05") + " UTC" },
		"stamp": func(t int64) string { return time.Unix(t, 0).UTC().Format("2 Jan 2006, 15:04:05") },
		"iso":   func(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) },
	}).ParseFS(files, "page/*.html"))}
	assets, err := fs.Sub(files, "page/assets")
	if err != nil {
		panic(err) // the name above is a constant that embed has checked
	}
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", http.FileServerFS(assets)))
	p.checkoutRoutes(mux)
	p.portalRoutes(mux)
	p.invoiceRoutes(mux)
	p.indexRoutes(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		p.message(w, http.StatusNotFound, "There is nothing here", "The address may have been cut off.")
	})
	// The forms end on the site's origin, so form-action stays open.
	return loopback.Page("default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'", mux)
}

// view is what every page gets.
type view struct {
	Business, Title, Problem, Notice string
	Page                             any
}

func (p *pages) render(w http.ResponseWriter, status int, name string, v view) {
	v.Business = p.Business
	var body bytes.Buffer
	if err := p.templates.ExecuteTemplate(&body, name, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // the browser went away
}

func (p *pages) message(w http.ResponseWriter, status int, title, text string) {
	p.render(w, status, "message.html", view{Title: title, Page: text})
}

// update works on the account; what Stripe refuses comes back as a text for people.
func (p *pages) update(w http.ResponseWriter, r *http.Request, work func(*account.Tx) error) (refusal string, ok bool) {
	err := p.Account.Update(r.Context(), account.Request{}, work)
	var refused *account.Error
	switch {
	case err == nil:
		return "", true
	case errors.As(err, &refused):
		return refused.Text, true
	}
	http.Error(w, err.Error(), http.StatusInternalServerError)
	return "", false
}

// cardChoice is one of the test cards on a form.
type cardChoice struct {
	account.TestCard
	First bool
}

func cardChoices() []cardChoice {
	var out []cardChoice
	for i, card := range account.TestCards() {
		out = append(out, cardChoice{card, i == 0})
	}
	return out
}

func accountChoices() []cardChoice {
	var out []cardChoice
	for _, bank := range account.TestAccounts() {
		out = append(out, cardChoice{bank, false})
	}
	return out
}
