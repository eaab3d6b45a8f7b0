package kratos

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

// Start is the beginning of a sign-in.
type Start struct {
	// URL is where the browser continues: at the provider or, if it is already signed in,
	// at the address to return to.
	URL string
	// Cookies bind the sign-in to the browser.
	Cookies []*http.Cookie
}

// ErrExpired says that a sign-in in progress cannot be continued.
var ErrExpired = fault.New(fault.Conflict, "sign_in_expired", "This sign-in has expired. Please start again.")

// SignIn starts a sign-in with the provider that ends at returnTo, a path of the
// site that the caller has checked. With refresh, a browser that is signed in already is sent
// to the provider, too. It fails with ErrUnavailable while Kratos or the provider is down.
func (c *Client) SignIn(ctx context.Context, v Visitor, provider, returnTo string, refresh bool) (Start, error) {
	target := c.site.Scheme + "://" + c.site.Host + returnTo
	query := url.Values{"return_to": {target}}
	if refresh {
		query.Set("refresh", "true")
	}
	a, err := c.do(ctx, callStart, c.breaker, http.MethodGet, "/self-service/login/browser", query, v, nil)
	if err != nil {
		return Start{}, err
	}
	var flow uiFlow
	if err := a.decode(&flow); err != nil {
		return Start{}, err
	}
	switch {
	case a.status == http.StatusOK && flow.ID != "":
	case flow.Error.ID == "session_already_available":
		return Start{URL: target, Cookies: a.cookies}, nil
	default:
		return Start{}, a.unexpected()
	}
	v.Cookies = merge(v.Cookies, a.cookies)
	start, err := c.signIn(ctx, v, provider, flow.ID)
	start.Cookies = append(a.cookies, start.Cookies...)
	return start, err
}

// GoOn continues the flow with the provider: the flow has just been started, or
// it asked for a second provider to be linked. It fails with ErrExpired when the
// flow is over, unknown or another browser's.
func (c *Client) GoOn(ctx context.Context, v Visitor, provider, flow string) (Start, error) {
	// Kratos' OpenID Connect method takes a submission from any browser, but shows a flow only to
	// the one that started it.
	a, err := c.do(ctx, callFlow, c.breaker, http.MethodGet, "/self-service/login/flows", url.Values{"id": {flow}}, v, nil)
	if err != nil {
		return Start{}, err
	}
	switch a.status {
	case http.StatusOK:
		return c.signIn(ctx, v, provider, flow)
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return Start{}, ErrExpired
	default:
		return Start{}, a.unexpected()
	}
}

// The refusals of Link, besides authn.ErrNotFresh.
var (
	ErrSignedOut = fault.New(fault.Unauthenticated, "no_session", "Please sign in.")
	ErrLinked    = fault.New(fault.Conflict, "already_linked", "This sign-in method is part of your account already.")
)

// Link starts adding a provider to the account that the browser is signed in to, which ends at
// returnTo, or at /profile?linking=failed if it took too long or the person's account there belongs to another
// account here. It fails with ErrSignedOut, authn.ErrNotFresh, ErrLinked, ErrExpired, or ErrUnavailable.
func (c *Client) Link(ctx context.Context, v Visitor, provider, returnTo string) (Start, error) {
	flow, cookies, err := c.startSettings(ctx, v, url.Values{"return_to": {c.site.Scheme + "://" + c.site.Host + returnTo}})
	if err != nil {
		return Start{}, err
	}
	v.Cookies = merge(v.Cookies, cookies)
	start, err := c.submit(ctx, v, provider, "/self-service/settings", flow.ID, map[string]any{
		"method": "oidc", "link": provider, "upstream_parameters": promptFor(provider),
	})
	start.Cookies = append(cookies, start.Cookies...)
	return start, err
}

// promptFor has the provider ask which account to use (OpenID Connect Core, section 3.1.2.1).
// Without it, Google silently signs in the one that it knows: signing out would be void on a
// shared computer, and nobody could choose another account. Kratos asks for a new sign-in
// instead where one is refreshed. Apple always asks, and documents no prompt.
func promptFor(provider string) map[string]string {
	if provider != "google" {
		return map[string]string{}
	}
	return map[string]string{"prompt": "select_account"}
}

// signIn submits a sign-in.
func (c *Client) signIn(ctx context.Context, v Visitor, provider, flow string) (Start, error) {
	return c.submit(ctx, v, provider, "/self-service/login", flow, map[string]any{
		"method": "oidc", "provider": provider, "upstream_parameters": promptFor(provider),
	})
}

// submit sends the browser to the provider.
func (c *Client) submit(ctx context.Context, v Visitor, provider, path, flow string, submission map[string]any) (start Start, err error) {
	defer func() { c.countStart(ctx, provider, err) }()
	a, err := c.do(ctx, callSubmit, c.of(provider), http.MethodPost, path, url.Values{"flow": {flow}}, v, submission)
	if err != nil {
		return Start{}, err
	}
	var said struct {
		RedirectTo string  `json:"redirect_browser_to"`
		Error      failure `json:"error"`
	}
	if err := a.decode(&said); err != nil {
		return Start{}, err
	}
	_, links := submission["link"]
	switch {
	case a.status == http.StatusUnprocessableEntity && said.RedirectTo != "":
		return Start{URL: said.RedirectTo, Cookies: a.cookies}, nil
	case links && said.Error.ID == "session_refresh_required":
		return Start{}, authn.ErrNotFresh
	case links && a.status == http.StatusUnauthorized:
		return Start{}, ErrSignedOut
	case links && a.status == http.StatusBadRequest:
		return Start{}, ErrLinked
	case a.status == http.StatusGone, a.status == http.StatusNotFound, a.status == http.StatusForbidden,
		said.Error.ID == "session_already_available":
		return Start{}, ErrExpired
	default:
		return Start{}, a.unexpected()
	}
}

// merge returns the browser's cookies as they will be once it has stored set.
func merge(browser, set []*http.Cookie) []*http.Cookie {
	kept := slices.DeleteFunc(slices.Clone(browser), func(old *http.Cookie) bool {
		return slices.ContainsFunc(set, func(cookie *http.Cookie) bool { return cookie.Name == old.Name })
	})
	return slices.Concat(set, kept)
}
