package middleware

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/clock"
)

// Limits refuses requests of clients that make too many, and counts the refusals.
type Limits struct {
	refusals *prometheus.CounterVec
	busiest  *limits.Busiest
}

// NewLimits registers the metrics gateway_refusals_total, by the limiter's name, and gateway_busiest_client_ratio.
func NewLimits(reg *prometheus.Registry, clk clock.Clock) (*Limits, error) {
	l := &Limits{
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_refusals_total", Help: "Requests refused because there were too many, by limiter.",
		}, []string{"limiter"}),
		busiest: limits.NewBusiest(clk),
	}
	return l, errors.Join(reg.Register(l.refusals), reg.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_busiest_client_ratio", Help: "The busiest client address's part of the requests of the last whole minute.",
	}, l.busiest.Part)))
}

// CountClients counts the request for gateway_busiest_client_ratio.
func (l *Limits) CountClients(c *gin.Context) { l.busiest.Count(address(c)) }

// PerClient takes a token for the client's address or refuses the request. An answer to a request that was let in says
// what is left if quiet is false.
func (l *Limits) PerClient(name string, buckets *limits.PerClient, quiet bool) gin.HandlerFunc {
	refused := l.refusals.WithLabelValues(name)
	return func(c *gin.Context) {
		level, err := buckets.Take(address(c))
		if err != nil || !quiet {
			tell(c, name, level)
		}
		if err != nil {
			refused.Inc()
			refuse(c, err)
		}
	}
}

// PerAccount takes a token for the bearer's account or refuses the request: an account may have many addresses.
func (l *Limits) PerAccount(name string, buckets *limits.Buckets[string]) gin.HandlerFunc {
	refused := l.refusals.WithLabelValues(name)
	return func(c *gin.Context) {
		caller, _ := authn.FromContext(c.Request.Context())
		level, err := buckets.Take(caller.UserID)
		tell(c, name, level)
		if err != nil {
			refused.Inc()
			problem.Write(c, err)
		}
	}
}

// InFlight takes a place while the request is in progress, or refuses the request.
func (l *Limits) InFlight(name string, places *limits.InFlight) gin.HandlerFunc {
	refused := l.refusals.WithLabelValues(name)
	return func(c *gin.Context) {
		client := address(c)
		if err := places.Enter(client); err != nil {
			refused.Inc()
			problem.Write(c, err)
			return
		}
		defer places.Leave(client)
		c.Next()
	}
}

// Receive waits at most so long for the body, up to maxBytes of the route, before the request
// takes a place: a place is for work, and slow bodies would keep everybody out. They have caps
// of their own. For a maxBytes of -1 the route waits by itself. For 0 nobody reads the body: the
// answer ends the connection, because net/http would read what is left of it before it answers, and
// the request would keep its place meanwhile.
func (l *Limits) Receive(name string, bodies *limits.InFlight, timeout time.Duration, maxBytes func(*gin.Context) int64) gin.HandlerFunc {
	refused := l.refusals.WithLabelValues(name)
	return func(c *gin.Context) {
		if !hasBody(c.Request) {
			return
		}
		awaitBody(c, time.Now().Add(timeout))
		limit := maxBytes(c)
		switch {
		case limit < 0:
			return
		case limit == 0:
			c.Header("Connection", "close")
			return
		}
		client := address(c)
		if err := bodies.Enter(client); err != nil {
			refused.Inc()
			refuse(c, err)
			return
		}
		defer bodies.Leave(client)
		if err := jsonbody.Receive(c.Request, limit); err != nil {
			refuse(c, err)
			return
		}
		awaitBody(c, time.Time{})
	}
}

// tell sets the headers of draft-ietf-httpapi-ratelimit-headers: how many requests the limit lets through in which
// time, and how many are left until when.
func tell(c *gin.Context, name string, level limits.Level) {
	c.Header("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", name, level.Burst, seconds(level.Window())))
	c.Header("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", name, level.Left, seconds(level.Full)))
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// address is the client's, as determined by Client.
func address(c *gin.Context) netip.Addr {
	client, _ := netip.ParseAddr(clientinfo.FromContext(c.Request.Context()).IP)
	return client
}
