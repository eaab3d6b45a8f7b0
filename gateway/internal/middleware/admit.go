package middleware

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/problem"
)

const (
	maxTarget  = 8 << 10
	maxHeaders = 100
)

var (
	targetTooLong  = &problem.Refusal{Status: http.StatusRequestURITooLong, Code: "uri_too_long", Message: "The address is too long."}
	tooManyHeaders = &problem.Refusal{Status: http.StatusRequestHeaderFieldsTooLarge, Code: "too_many_headers", Message: "The request has too many headers."}
)

// Headers sets the headers of every answer. Answers are about people or change all the time,
// so that they may not be stored, unless a route says otherwise. hsts tells browsers to use https
// only; "" on a site of http.
func Headers(hsts string) gin.HandlerFunc {
	return func(c *gin.Context) {
		h := c.Writer.Header()
		if hsts != "" {
			h.Set("Strict-Transport-Security", hsts)
		}
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
	}
}

// Shape refuses requests that none of our clients sends: methods that echo or tunnel, too
// long targets, too many headers, and paths that two servers could read differently.
func Shape(c *gin.Context) {
	r := c.Request
	switch {
	case r.Method == http.MethodTrace, r.Method == http.MethodConnect:
		c.Header("Allow", "GET, HEAD, POST, PUT")
		refuse(c, problem.MethodNotAllowed)
	case len(r.RequestURI) > maxTarget:
		refuse(c, targetTooLong)
	case lines(r.Header) > maxHeaders:
		refuse(c, tooManyHeaders)
	case r.URL.RawPath != "" || r.URL.IsAbs() || strings.Contains(r.URL.Path, "//"):
		refuse(c, problem.RouteNotFound)
	}
}

// lines counts a header's lines, of which several may have the same name.
func lines(h http.Header) (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}

// Arrival limits the time for a file to arrive. The request has its place meanwhile, and must
// not keep it by sending a byte now and then.
func Arrival(timeout time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		if hasBody(c.Request) {
			awaitBody(c, time.Now().Add(timeout))
		}
	}
}

// refuse answers a request whose body has perhaps not been read. On a connection that stays open
// net/http would read the rest before it answers, and wait as long as the client likes.
func refuse(c *gin.Context, err error) {
	if hasBody(c.Request) {
		c.Header("Connection", "close")
	}
	problem.Write(c, err)
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

func awaitBody(c *gin.Context, until time.Time) {
	// An error means that there is no connection, and nothing will be read either.
	_ = http.NewResponseController(c.Writer).SetReadDeadline(until)
}

// Deadline limits the work for one request to its budget; calls to services inherit what is
// left of it.
func Deadline(budget func(*gin.Context) time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx, cancel := context.WithTimeout(c.Request.Context(), budget(c))
		defer cancel()
		c.Request = c.Request.WithContext(ctx)
		c.Next()
	}
}

// WriteTimeout gives the client as long as the budget to read the answer; the server's own
// limit is for small answers.
func WriteTimeout(budget time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(budget)); err != nil {
			problem.Write(c, err)
		}
	}
}
