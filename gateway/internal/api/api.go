// Package api is the product's HTTP interface. A handler decodes the request, calls a
// service and encodes the answer; the rules are in the services. openapi.yaml describes
// every route, and the tests check each answer against it.
package api

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/clientip"
	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/middleware"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/waitlist"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/service"
)

// API serves the interface.
type API struct {
	cfg      Config
	site     *route.Site
	routes   []route.Route
	byKey    map[string]*route.Route
	guard    *authn.Guard
	bounds   *middleware.Limits
	limits   map[route.Limit]gin.HandlerFunc
	webhooks gin.HandlerFunc
	engine   *gin.Engine
}

// New returns the interface.
func New(cfg Config, rt *service.Runtime, services *backend.Services, ory *kratos.Client, verifier *authn.Verifier, access authn.AccessChecker) (*API, error) {
	site, err := route.NewSite(cfg.Site)
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	routes, err := table(cfg, rt, services, ory, verifier, site)
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	a := &API{cfg: cfg, site: site, routes: routes, byKey: map[string]*route.Route{}}
	for i := range routes {
		a.byKey[routes[i].Key()] = &routes[i]
	}
	bounds, err := middleware.NewLimits(rt.Metrics, rt.Clock)
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	a.bounds = bounds
	perClient := func(name string, limit route.Limit) gin.HandlerFunc {
		return bounds.PerClient(name, limits.NewPerClient(cfg.Rates[limit], rt.Clock), false)
	}
	a.limits = map[route.Limit]gin.HandlerFunc{
		route.SignUp:       perClient("sign_up", route.SignUp),
		route.SignIn:       perClient("sign_in", route.SignIn),
		route.Callback:     perClient("callback", route.SignIn),
		route.FormCallback: perClient("form_callback", route.SignIn),
		route.Session:      perClient("session", route.Session),
		route.Token:        perClient("token", route.Token),
		route.Checkout:     perClient("checkout", route.Checkout),
		route.MailReport:   perClient("mail_report", route.MailReport),
		route.CheckoutSync: bounds.PerAccount("checkout_sync", limits.NewBuckets[string](cfg.Rates[route.CheckoutSync], rt.Clock)),
	}
	a.webhooks = bounds.InFlight("webhooks", limits.NewInFlight(cfg.MaxWebhooks, cfg.MaxWebhooksPerClient))
	a.guard = authn.NewGuard(policy(a.routes), verifier, access, "")
	return a, a.serve(rt)
}

// Routes returns the table.
func (a *API) Routes() []route.Route { return a.routes }

// ServeHTTP serves one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.engine.ServeHTTP(w, r) }

// serve builds the engine from the table. All conveniences of gin that make a route answer
// at several addresses are off.
func (a *API) serve(rt *service.Runtime) error {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash, e.RedirectFixedPath, e.RemoveExtraSlash = false, false, false
	e.ContextWithFallback = true
	e.ForwardedByClientIP = false // middleware.Client knows
	trusted, err := clientip.ParseNetworks(a.cfg.TrustedProxies)
	if err != nil {
		return fmt.Errorf("api: TRUSTED_PROXIES: %w", err)
	}
	observer, err := middleware.NewObserver(rt.Log, rt.Metrics)
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	e.Use(
		middleware.RequestID, middleware.Trace(rt.Tracer), middleware.Client(trusted), observer.Observe, middleware.Headers(a.hsts()), a.speakOAuth, waitlist.LeadForms, middleware.Shape,
		a.forPeople(a.bounds.CountClients), a.forPeople(a.bounds.PerClient("requests", limits.NewPerClient(a.cfg.Rates[route.General], rt.Clock), true)),
		observer.Recover, a.receive(),
		a.forPeople(a.bounds.InFlight("places", limits.NewInFlight(a.cfg.MaxInFlight, a.cfg.MaxPerClient))),
		middleware.Deadline(a.budget),
	)
	e.NoRoute(func(c *gin.Context) { problem.Write(c, problem.RouteNotFound) })
	e.NoMethod(func(c *gin.Context) { problem.Write(c, problem.MethodNotAllowed) })
	for _, r := range a.routes {
		if r.Objective {
			observer.CountFailures(r.Method, r.Path)
		}
		e.Handle(r.Method, r.Path, a.chain(r)...)
	}
	// HEAD is GET without the body (RFC 9110, section 9.3.2), which net/http leaves out. A
	// provider's answer works once and is for the browser alone.
	for _, r := range a.routes {
		if r.Method == http.MethodGet && r.Limit != route.Callback && a.byKey[http.MethodHead+" "+r.Path] == nil {
			e.Handle(http.MethodHead, r.Path, a.chain(r)...)
		}
	}
	a.engine = e
	return nil
}

// nothing is what is asked for where no route is.
var nothing = &route.Route{Method: http.MethodGet}

// asked is the route that a request is for.
func (a *API) asked(c *gin.Context) *route.Route {
	if r, ok := a.byKey[c.Request.Method+" "+c.FullPath()]; ok {
		return r
	}
	if c.Request.Method == http.MethodHead {
		if r, ok := a.byKey[http.MethodGet+" "+c.FullPath()]; ok {
			return r
		}
	}
	return nothing
}

// speakOAuth has everything that is refused of OAuth's requests answered in its form. Only who sends JSON knows ours.
func (a *API) speakOAuth(c *gin.Context) {
	if a.asked(c).OAuth && !jsonbody.IsJSON(c.Request.Header) {
		problem.SpeakOAuth(c)
	}
}

// hsts is the site's Strict-Transport-Security.
func (a *API) hsts() string {
	switch {
	case !a.site.Secure():
		return ""
	case a.cfg.HSTSSubdomains:
		return "max-age=31536000; includeSubDomains"
	default:
		return "max-age=31536000"
	}
}

// receive waits for bodies. Those of webhooks and of all others have caps of their own.
func (a *API) receive() gin.HandlerFunc {
	capped := func(name string) gin.HandlerFunc {
		return a.bounds.Receive(name, limits.NewInFlight(a.cfg.MaxBodies, a.cfg.MaxBodiesPerClient), a.cfg.BodyTimeout,
			func(c *gin.Context) int64 { return a.asked(c).MaxBody() })
	}
	webhooks, others := capped("webhook_bodies"), capped("bodies")
	return func(c *gin.Context) {
		if a.asked(c).Webhook {
			webhooks(c)
		} else {
			others(c)
		}
	}
}

// forPeople applies a limit to all routes but the webhooks.
func (a *API) forPeople(limit gin.HandlerFunc) gin.HandlerFunc {
	return func(c *gin.Context) {
		if !a.asked(c).Webhook {
			limit(c)
		}
	}
}

// budget is how long a request may take: its route's budget, or the default.
func (a *API) budget(c *gin.Context) time.Duration {
	return cmp.Or(a.asked(c).Budget, a.cfg.RequestTimeout)
}

// chain is what a request passes once its route is known.
func (a *API) chain(r route.Route) []gin.HandlerFunc {
	chain := []gin.HandlerFunc{a.admit(r)}
	if r.ErrorPage != "" {
		chain = append(chain, func(c *gin.Context) { problem.LeadTo(c, r.ErrorPage) })
	}
	if r.Webhook {
		chain = append(chain, a.webhooks)
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
	if !r.AnyQuery {
		chain = append(chain, route.CheckQuery(r.Query))
	}
	return append(chain, func(c *gin.Context) {
		if err := r.Handle(c); err != nil {
			problem.Write(c, r.Names.In(err))
		}
	})
}
