// Package middleware is what every request passes before its route. It gives requests an id,
// a line in the access log, a place in the metrics and security headers, and refuses those
// that are malformed or too many.
package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/gateway/internal/clientip"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
)

// HeaderRequestID carries the request id in the answer.
const HeaderRequestID = "X-Request-Id"

// unmatched is the route label of requests without a route.
const unmatched = "unmatched"

// aborted is the status label of requests whose answer broke off half-way.
const aborted = "aborted"

// RequestID gives the request a new id. One that the request brings is not read: an ingress passes
// on what a client sent, which would then stand in logs and audit records.
func RequestID(c *gin.Context) {
	id := obs.NewRequestID()
	c.Header(HeaderRequestID, id)
	c.Request = c.Request.WithContext(obs.WithRequestID(c.Request.Context(), id))
}

// Client tells handlers and services from which address the request comes. From here on it is also the peer's
// (gin's ClientIP).
func Client(trusted clientip.Networks) gin.HandlerFunc {
	return func(c *gin.Context) {
		info := clientinfo.Info{UserAgent: c.Request.UserAgent()}
		if address := trusted.Client(c.Request); address.IsValid() {
			info.IP = address.String()
			c.Request.RemoteAddr = netip.AddrPortFrom(address, 0).String()
		}
		c.Request = c.Request.WithContext(clientinfo.With(c.Request.Context(), info))
	}
}

// Observer logs and counts requests.
type Observer struct {
	log      *slog.Logger
	duration *prometheus.HistogramVec
	panics   prometheus.Counter
}

// NewObserver registers the metrics http_request_duration_seconds, by method, route template
// and status (or "aborted"), and http_panics_total.
func NewObserver(log *slog.Logger, reg *prometheus.Registry) (*Observer, error) {
	o := &Observer{
		log: log,
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "http_request_duration_seconds", Help: "Time to answer a request, by method, route and status (aborted: the answer broke off half-way).",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"method", "route", "status"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{Name: "http_panics_total", Help: "Panics in handlers."}),
	}
	return o, errors.Join(reg.Register(o.duration), reg.Register(o.panics))
}

// CountFailures begins the time series of a route's failures, those of a fault, at 0: Prometheus does not see
// the increase of a series that begins with its first request.
func (o *Observer) CountFailures(method, route string) {
	for _, kind := range []fault.Kind{fault.Internal, fault.Unavailable} {
		o.duration.WithLabelValues(method, route, strconv.Itoa(kind.HTTPStatus()))
	}
}

// Observe logs and measures each request. Neither holds the query, a header or a body,
// because those carry codes, tokens and addresses.
func (o *Observer) Observe(c *gin.Context) {
	start, aborts := time.Now(), true
	defer func() { o.record(c, time.Since(start), aborts) }()
	c.Next()
	aborts = false
}

// record logs and measures a request. One that aborts has begun its answer and does not
// finish it, so that its status says nothing.
func (o *Observer) record(c *gin.Context, elapsed time.Duration, aborts bool) {
	route, status := c.FullPath(), c.Writer.Status()
	if route == "" {
		route = unmatched
	}
	label := strconv.Itoa(status)
	if aborts {
		label = aborted
	}
	o.duration.WithLabelValues(method(c.Request), route, label).Observe(elapsed.Seconds())
	ctx := c.Request.Context()
	attrs := []slog.Attr{
		slog.String("method", c.Request.Method), slog.String("route", route), slog.Int("status", status),
		slog.Int("bytes", max(0, c.Writer.Size())), slog.Duration("duration", elapsed), slog.String("ip", c.ClientIP()),
	}
	if p, ok := authn.FromContext(ctx); ok && p.Server != "" {
		attrs = append(attrs, slog.String("server", p.Server))
	} else if ok {
		attrs = append(attrs, slog.String("user", p.UserID))
	}
	level := slog.LevelInfo
	if aborts {
		level = slog.LevelWarn
		attrs = append(attrs, slog.Bool(aborted, true))
	}
	if last := c.Errors.Last(); last != nil {
		attrs = append(attrs, slog.String("reason", reason(last.Err)))
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
			attrs = append(attrs, slog.String("error", last.Err.Error()))
		}
	}
	o.log.LogAttrs(ctx, level, "request", attrs...)
}

func reason(err error) string {
	if r, ok := errors.AsType[*problem.Refusal](err); ok {
		return r.Code
	}
	return fault.Of(err).Reason
}

// method is the label of the request's method: made-up methods must not add time series.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	default:
		return "other"
	}
}

// Recover turns a panic into a 500 and counts it. An answer that has begun breaks off.
func (o *Observer) Recover(c *gin.Context) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			// The answer broke off half-way. net/http cuts the connection, so that the
			// client notices.
			panic(p)
		}
		o.panics.Inc()
		ctx := context.WithoutCancel(c.Request.Context())
		o.log.ErrorContext(ctx, "panic", "route", c.FullPath(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if c.Writer.Written() {
			_ = c.Error(fault.Of(fmt.Errorf("panic: %v", p)))
			panic(http.ErrAbortHandler) // a part of an answer must not look like all of it
		}
		// Deadline has cancelled the request's own context on the panic's way here, which looks as if the client had left.
		c.Request = c.Request.WithContext(ctx)
		problem.Write(c, fault.Of(fmt.Errorf("panic: %v", p)))
	}()
	c.Next()
}
