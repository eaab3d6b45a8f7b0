package middleware

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/limits"
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

// Headers sets what every answer carries. Answers are about people or about this
// moment, so nobody may keep them; a route that differs says so itself.
func Headers(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
}

// Shape refuses requests that no client of ours sends: methods that echo or
// tunnel, and paths, targets and headers in a form that two servers could
// understand differently.
func Shape(c *gin.Context) {
	r := c.Request
	switch {
	case r.Method == http.MethodTrace, r.Method == http.MethodConnect:
		c.Header("Allow", "GET, HEAD, POST, PUT")
		problem.Write(c, problem.MethodNotAllowed)
	case len(r.RequestURI) > maxTarget:
		problem.Write(c, targetTooLong)
	case len(r.Header) > maxHeaders:
		problem.Write(c, tooManyHeaders)
	case r.URL.RawPath != "" || r.URL.IsAbs() || strings.Contains(r.URL.Path, "//"):
		problem.Write(c, problem.RouteNotFound)
	}
}

// Limit takes a token for the client's address or refuses the request.
func Limit(buckets *limits.PerClient) gin.HandlerFunc {
	return func(c *gin.Context) {
		client, _ := netip.ParseAddr(c.ClientIP())
		if err := buckets.Take(client); err != nil {
			problem.Write(c, err)
		}
	}
}

// InFlight holds a slot of the cap while the request is in progress.
func InFlight(slots *limits.InFlight) gin.HandlerFunc {
	return func(c *gin.Context) {
		release, err := slots.Enter()
		if err != nil {
			problem.Write(c, err)
			return
		}
		defer release()
		c.Next()
	}
}

// Deadline bounds the work for one request by its budget; calls to services
// inherit what is left of it.
func Deadline(budget func(*gin.Context) time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx, cancel := context.WithTimeout(c.Request.Context(), budget(c))
		defer cancel()
		c.Request = c.Request.WithContext(ctx)
		c.Next()
	}
}

// Patience lets the client send and read for as long as the budget, where the
// server's own limits are for small requests and answers.
func Patience(budget time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		until := time.Now().Add(budget)
		conn := http.NewResponseController(c.Writer)
		if err := errors.Join(conn.SetReadDeadline(until), conn.SetWriteDeadline(until)); err != nil {
			problem.Write(c, err)
		}
	}
}
