package door

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/dustin/go-humanize"
	"github.com/prometheus/client_golang/prometheus"
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
// Longer bodies are passed on as they arrive. What all clients together have on the way is
// capped (503), and what each of them has (429).
type Body struct {
	// Bodies may arrive at the same time, and Bytes of them be in memory. One client has a 64th of the one and an
	// eighth of the other.
	Bodies int `json:"bodies,omitempty"`
	Bytes  int `json:"bytes,omitempty"`
	// Trusted are the networks of the proxies whose X-Forwarded-For is believed, as CIDRs.
	Trusted []string `json:"trusted,omitempty"`

	trusted  networks
	arrivals *arrivals
	refused  *prometheus.CounterVec
}

// CaddyModule names the handler.
func (*Body) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.fledge_body", New: func() caddy.Module { return new(Body) }}
}

// Provision prepares to count.
func (b *Body) Provision(ctx caddy.Context) error {
	if b.Bodies < shareOfBodies || b.Bytes < shareOfBytes*bodyBytes {
		return fmt.Errorf("fledge_body needs at least %d bodies, of %d bytes together", shareOfBodies, shareOfBytes*bodyBytes)
	}
	for _, text := range b.Trusted {
		network, err := caddyhttp.CIDRExpressionToPrefix(text)
		if err != nil {
			return err
		}
		b.trusted = append(b.trusted, network)
	}
	b.arrivals = newArrivals(b.Bodies, b.Bytes)
	b.refused = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "fledge_door_bodies_refused_total", Help: "Requests that were refused because too many bodies were on the way, of all clients or of one.",
	}, []string{"of"})
	for _, of := range []string{"all", "client"} {
		b.refused.WithLabelValues(of)
	}
	return ctx.GetMetricsRegistry().Register(b.refused)
}

// UnmarshalCaddyfile reads the two numbers, and the networks that may follow.
func (b *Body) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	var bodies, bytes string
	if !d.Args(&bodies, &bytes) {
		return d.ArgErr()
	}
	b.Trusted = d.RemainingArgs()
	var err error
	if b.Bodies, err = strconv.Atoi(bodies); err != nil {
		return d.WrapErr(err)
	}
	size, err := humanize.ParseBytes(bytes)
	if err != nil || size > math.MaxInt32 {
		return d.Errf("%q is no size of memory below 2 GiB", bytes)
	}
	b.Bytes = int(size)
	return nil
}

// ServeHTTP reads before it lets the request go on.
func (b *Body) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
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
	mine, err := b.arrivals.enter(b.trusted.client(r))
	if err != nil {
		return b.refuse(w, err)
	}
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	whole, err := mine.read(r.Body)
	mine.arrived()
	defer mine.leave()
	switch {
	case err != nil:
		return b.refuse(w, err)
	case len(whole) > bodyBytes:
		return passOn(w, r, next, io.MultiReader(bytes.NewReader(whole), r.Body))
	}
	_ = control.SetReadDeadline(time.Time{})
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(whole)), int64(len(whole)), nil
	return next.ServeHTTP(w, r)
}

// read returns what there is up to one byte more than bodyBytes, and does not trust what was announced:
// memory is taken as bytes come.
func (p *place) read(body io.Reader) ([]byte, error) {
	whole := make([]byte, 0, bytes.MinRead)
	for {
		n, err := body.Read(whole[len(whole):cap(whole)])
		whole = whole[:len(whole)+n]
		switch {
		case errors.Is(err, io.EOF):
			return whole, nil
		case err != nil:
			return nil, err
		case len(whole) > bodyBytes:
			return whole, nil
		case len(whole) < cap(whole):
			continue
		}
		size := min(2*cap(whole), bodyBytes+1)
		if err := p.grow(size); err != nil {
			return nil, err
		}
		whole = append(make([]byte, 0, size), whole...)
	}
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

// refuse answers for a body that cannot be had.
func (b *Body) refuse(w http.ResponseWriter, err error) error {
	w.Header().Set("Connection", "close") // without it net/http would wait for the rest
	switch {
	case errors.Is(err, errClientFull):
		b.refused.WithLabelValues("client").Inc()
		return caddyhttp.Error(http.StatusTooManyRequests, err)
	case errors.Is(err, errFull):
		b.refused.WithLabelValues("all").Inc()
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	return unreadable(w, err)
}

func unreadable(w http.ResponseWriter, err error) error {
	w.Header().Set("Connection", "close") // where its next request begins is unknown
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return caddyhttp.Error(http.StatusRequestTimeout, err)
	}
	return caddyhttp.Error(http.StatusBadRequest, err)
}
