// Package api is the product's HTTP interface. A handler decodes the request, calls a
// service and encodes the answer; the rules are in the services. openapi.yaml describes
// every route, and the tests check each answer against it.
package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/docs"
	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/middleware"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/ttlcache"
)

// Config says how the interface behaves.
type Config struct {
	// Site is the site's public origin.
	Site *url.URL
	// TrustedProxies are the networks whose X-Forwarded-For is believed.
	TrustedProxies []string
	// RequestTimeout is the budget of one request, PaymentTimeout that of one which
	// waits for Stripe.
	RequestTimeout, PaymentTimeout time.Duration
	// BodyTimeout is how long a body may take to arrive.
	BodyTimeout time.Duration
	// MaxInFlight caps the requests in progress.
	MaxInFlight int
	// MaxDeliveries caps the webhooks in progress, which MaxInFlight does not count.
	MaxDeliveries int
	// MaxPerClient caps the requests of one client address in progress, and
	// MaxDeliveriesPerClient its webhooks.
	MaxPerClient, MaxDeliveriesPerClient int
	// General, SignUp, SignIn, Session, Token and Buying are the rates of one client address.
	General, SignUp, SignIn, Session, Token, Buying limits.Rate
	// Syncing is the rate of one account.
	Syncing limits.Rate
	// DownloadHosts are the hosts that a download may lead to.
	DownloadHosts []string
}

// API serves the interface.
type API struct {
	cfg         Config
	services    *backend.Services
	kratos      *kratos.Client
	verifier    *authn.Verifier
	guard       *authn.Guard
	crossOrigin *http.CrossOriginProtection
	docsPolicy  string
	keys        atomic.Pointer[[]byte]
	limits      map[Limit]gin.HandlerFunc
	deliveries  gin.HandlerFunc
	offers      *offers
	signUps     *signUps
	health      *ttlcache.Value[map[string]bool]
	clock       clock.Clock
	log         *slog.Logger
	engine      *gin.Engine
}

// New returns the interface.
func New(cfg Config, rt *service.Runtime, services *backend.Services, ory *kratos.Client, verifier *authn.Verifier, access authn.AccessChecker) (*API, error) {
	a := &API{
		cfg: cfg, services: services, kratos: ory, verifier: verifier,
		crossOrigin: http.NewCrossOriginProtection(),
		limits: map[Limit]gin.HandlerFunc{
			SignUp:  middleware.Limit(limits.NewPerClient(cfg.SignUp, rt.Clock)),
			SignIn:  middleware.Limit(limits.NewPerClient(cfg.SignIn, rt.Clock)),
			Session: middleware.Limit(limits.NewPerClient(cfg.Session, rt.Clock)),
			Token:   middleware.Limit(limits.NewPerClient(cfg.Token, rt.Clock)),
			Buying:  middleware.Limit(limits.NewPerClient(cfg.Buying, rt.Clock)),
			Syncing: middleware.LimitAccount(limits.NewBuckets[string](cfg.Syncing, rt.Clock)),
		},
		deliveries: middleware.InFlight(limits.NewInFlight(cfg.MaxDeliveries, cfg.MaxDeliveriesPerClient)), docsPolicy: docs.Policy(),
		offers: newOffers(services.Releases, rt.Clock), signUps: &signUps{waitlist: services.Waitlist, timeout: signUpTimeout}, health: newHealth(services, ory, rt.Clock),
		clock: rt.Clock, log: rt.Log,
	}
	if err := a.crossOrigin.AddTrustedOrigin(cfg.Site.String()); err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	a.guard = authn.NewGuard(a.policy(), verifier, access, "")
	return a, a.route(rt)
}

// ServeHTTP serves one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.engine.ServeHTTP(w, r) }

// route builds the engine from the table. All conveniences of gin that make a route answer
// at several addresses are off.
func (a *API) route(rt *service.Runtime) error {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash, e.RedirectFixedPath, e.RemoveExtraSlash = false, false, false
	e.ContextWithFallback = true
	e.RemoteIPHeaders = []string{"X-Forwarded-For"}
	if err := e.SetTrustedProxies(a.cfg.TrustedProxies); err != nil {
		return fmt.Errorf("api: TRUSTED_PROXIES: %w", err)
	}
	observer, err := middleware.NewObserver(rt.Log, rt.Metrics)
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	e.Use(
		middleware.RequestID, middleware.Trace(rt.Tracer), middleware.Client, observer.Observe, middleware.Headers(a.cfg.Site.Scheme == "https"), a.leadForms, middleware.Shape,
		a.forPeople(middleware.Limit(limits.NewPerClient(a.cfg.General, rt.Clock))),
		a.forPeople(middleware.InFlight(limits.NewInFlight(a.cfg.MaxInFlight, a.cfg.MaxPerClient))),
		middleware.Arrival(a.cfg.BodyTimeout),
		middleware.Deadline(a.budgets()), observer.Recover,
	)
	e.NoRoute(func(c *gin.Context) { problem.Write(c, problem.RouteNotFound) })
	e.NoMethod(func(c *gin.Context) { problem.Write(c, problem.MethodNotAllowed) })
	for _, r := range a.Routes() {
		e.Handle(r.Method, r.Path, a.chain(r)...)
	}
	a.engine = e
	return nil
}

// forPeople applies a limit to all routes but the webhooks.
func (a *API) forPeople(limit gin.HandlerFunc) gin.HandlerFunc {
	deliveries := map[string]bool{}
	for _, r := range a.Routes() {
		if r.Delivery {
			deliveries[r.Method+" "+r.Path] = true
		}
	}
	return func(c *gin.Context) {
		if !deliveries[c.Request.Method+" "+c.FullPath()] {
			limit(c)
		}
	}
}

// budgets returns how long a request may take: its route's budget, or the default.
func (a *API) budgets() func(*gin.Context) time.Duration {
	long := map[string]time.Duration{}
	for _, r := range a.Routes() {
		if r.Budget > 0 {
			long[r.Method+" "+r.Path] = r.Budget
		}
	}
	return func(c *gin.Context) time.Duration {
		if budget, ok := long[c.Request.Method+" "+c.FullPath()]; ok {
			return budget
		}
		return a.cfg.RequestTimeout
	}
}

// chain is what a request passes once its route is known.
func (a *API) chain(r Route) []gin.HandlerFunc {
	chain := []gin.HandlerFunc{a.admit(r)}
	if r.Delivery {
		chain = append(chain, a.deliveries)
	}
	if r.Budget > 0 {
		chain = append(chain, middleware.WriteTimeout(r.Budget))
	}
	if r.Arrival > 0 {
		chain = append(chain, middleware.Arrival(r.Arrival))
	}
	if limit, ok := a.limits[r.Limit]; ok {
		chain = append(chain, limit)
	}
	if !r.ForeignQuery {
		chain = append(chain, checkQuery(r.Query))
	}
	return append(chain, func(c *gin.Context) {
		if err := r.handle(c); err != nil {
			problem.Write(c, err)
		}
	})
}
