package door

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

const (
	// bodyBytes is the longest body of JSON that the API takes. Longer ones are files.
	bodyBytes = 64 << 10
	// bodyTimeout is how long such a body may take to arrive, arrivalOfFile a longer one.
	bodyTimeout   = 2 * time.Second
	arrivalOfFile = time.Minute
)

// Body waits for a request's body, so that the gateway gets it whole or not at all, and answers
// itself for one that does not come (408) or cannot be read (400): neither is an outage.
// Longer bodies are passed on as they arrive.
type Body struct{}

// CaddyModule names the handler.
func (Body) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.fledge_body", New: func() caddy.Module { return Body{} }}
}

// ServeHTTP reads before it lets the request go on.
func (Body) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if r.Body == nil || r.Body == http.NoBody {
		return next.ServeHTTP(w, r)
	}
	control := http.NewResponseController(w)
	if len(r.TransferEncoding) > 0 {
		// A proxy in front that goes by a length beside the chunks could be made to see
		// fewer requests than there are (RFC 9112, section 6.1).
		w.Header().Set("Connection", "close")
	}
	if r.ContentLength > bodyBytes {
		return passOn(w, r, next, r.Body)
	}
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	whole, err := io.ReadAll(io.LimitReader(r.Body, bodyBytes+1))
	switch {
	case err != nil:
		return unreadable(w, err)
	case len(whole) > bodyBytes:
		return passOn(w, r, next, io.MultiReader(bytes.NewReader(whole), r.Body))
	}
	_ = control.SetReadDeadline(time.Time{})
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(whole)), int64(len(whole)), nil
	return next.ServeHTTP(w, r)
}

// passOn lets the request go on with a body that is still arriving. On a connection that stays
// open net/http would read the rest before it sends an early answer.
func passOn(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, body io.Reader) error {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(arrivalOfFile))
	arriving := &watched{Reader: body, Closer: r.Body}
	r.Body = arriving
	err := next.ServeHTTP(w, r)
	if err != nil && arriving.failure != nil {
		return unreadable(w, arriving.failure)
	}
	return err
}

// watched remembers what was wrong with a body.
type watched struct {
	io.Reader
	io.Closer

	failure error
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failure = err
	}
	return n, err
}

func unreadable(w http.ResponseWriter, err error) error {
	w.Header().Set("Connection", "close") // where its next request begins is unknown
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return caddyhttp.Error(http.StatusRequestTimeout, err)
	}
	return caddyhttp.Error(http.StatusBadRequest, err)
}
