package mac

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strconv"

	"fledge.dev/services/platform/brand"
)

// page is what the browser shows after the callback. It contains nothing of the request.
type page struct{ Title, Text, Product string }

var (
	pageReceived = page{"Authentication Successful!", "You can now return to the app on your Mac. This tab can be closed.", brand.Name} // the words of the site
	pageFailed   = page{"Sign-in didn't work", "Go back to the app on your Mac: it says what went wrong and lets you try again.", brand.Name}
	pageForeign  = page{"This link can't be used", "It does not belong to the sign-in that the app is waiting for. Go back to your Mac and start again.", brand.Name}
	pageUsed     = page{"This link has been used", "The app has its sign-in already. You can close this tab.", brand.Name}
	pageNotFound = page{"Nothing here", "This is where the app on your Mac waits for a sign-in.", brand.Name}
)

//go:embed callback_page.gohtml
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

func show(w http.ResponseWriter, status int, p page) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address holds the code
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	var body bytes.Buffer
	if err := pageTemplate.Execute(&body, p); err != nil {
		status = http.StatusInternalServerError // cannot happen: the values are constants
	}
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
	_ = http.NewResponseController(w).Flush() // the port closes next
}
