package identity

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

// startSignIn runs the first half of Kratos' flow on the browser's behalf, so that the
// browser never submits it.
func (h *handlers) startSignIn(c *gin.Context) error {
	if c.GetHeader("Origin") != h.Site.Origin.String() {
		return route.Foreign(c.Request)
	}
	provider := c.Param("provider")
	if !slices.Contains(kratos.Providers(), provider) {
		return fault.New(fault.NotFound, "unknown_provider", "This sign-in method does not exist.")
	}
	req, err := jsonbody.Decode[wire.StartSignInRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	start, err := h.beginOrGoOn(c, provider, req)
	if err != nil {
		return err
	}
	setCookies(c, start.Cookies)
	c.JSON(http.StatusOK, wire.StartSignInAnswer{URL: start.URL})
	return nil
}

func (h *handlers) beginOrGoOn(c *gin.Context, provider string, req wire.StartSignInRequest) (kratos.Start, error) {
	ctx := c.Request.Context()
	refresh, err := flag(c, "refresh", req)
	if err != nil {
		return kratos.Start{}, err
	}
	link, err := flag(c, "link", req)
	if err != nil {
		return kratos.Start{}, err
	}
	switch {
	case link && refresh:
		return kratos.Start{}, route.Invalid("link", "does not go with refresh")
	case link != (req.UserID != nil):
		return kratos.Start{}, route.Invalid("user_id", "belongs to link, and link needs it")
	case link && req.ReturnTo != nil:
		return h.link(c, provider, *req.ReturnTo, *req.UserID)
	case req.ReturnTo != nil && req.Flow == nil:
		path, err := h.Links.Parse(*req.ReturnTo)
		if err != nil {
			return kratos.Start{}, err
		}
		return h.Kratos.SignIn(ctx, visitor(c), provider, path, refresh)
	case req.Flow != nil && req.ReturnTo == nil:
		flow, err := route.UUID("flow", *req.Flow)
		if err != nil {
			return kratos.Start{}, err
		}
		return h.Kratos.GoOn(ctx, visitor(c), provider, flow)
	default:
		return kratos.Start{}, fault.New(fault.Invalid, "invalid_sign_in", "Exactly one of return_to and flow is needed.")
	}
}

// flag reads a parameter that is true or absent, and starts something new.
func flag(c *gin.Context, name string, req wire.StartSignInRequest) (bool, error) {
	query := route.Query(c)
	switch {
	case !query.Has(name):
		return false, nil
	case query.Get(name) != "true":
		return false, route.Invalid(name, "is not true")
	case req.Flow != nil:
		return false, route.Invalid(name, "does not belong to a flow")
	}
	return true, nil
}

var errAnotherAccount = fault.New(fault.Conflict, "another_account", "This browser is signed in to another account now. Please reload the page.")

// link adds a provider to the account of the browser's cookie, which must be the one that the
// page shows: another tab may have signed in somebody else.
func (h *handlers) link(c *gin.Context, provider, returnTo, userID string) (kratos.Start, error) {
	path, err := h.Links.Parse(returnTo)
	if err != nil {
		return kratos.Start{}, err
	}
	resp, err := h.openSession(c)
	switch {
	case err != nil:
		return kratos.Start{}, err
	case resp.GetSession().GetUser().GetId() != userID:
		return kratos.Start{}, errAnotherAccount
	}
	return h.Kratos.Link(c.Request.Context(), visitor(c), provider, path)
}

// providerCallback is where a provider sends the browser back to.
func (h *handlers) providerCallback(provider string) route.Handler {
	return func(c *gin.Context) error {
		h.navigate(c, provider, nil)
		return nil
	}
}

// appleFormCallback is Apple's form post, the one that another site may send.
func (h *handlers) appleFormCallback(c *gin.Context) error {
	if !route.IsForm(c.Request) {
		return problem.UnsupportedMediaType
	}
	form, err := jsonbody.ReadAll(c.Writer, c.Request, jsonbody.MaxBytes)
	if err != nil {
		return err
	}
	h.navigate(c, "apple", withoutPerson(form))
	return nil
}

// withoutPerson drops what Apple's form says of the person at their first sign-in, which nothing reads: Kratos writes all
// of the form into an address, and addresses stand in the logs of proxies.
func withoutPerson(form []byte) []byte {
	values, err := url.ParseQuery(string(form))
	if err != nil {
		return form // no answer of Apple's
	}
	values.Del("user")
	return []byte(values.Encode())
}

// navigate passes a callback on to Kratos. The person sees a page in any case, so that a
// failure shows in the log alone.
func (h *handlers) navigate(c *gin.Context, provider string, form []byte) {
	h.Kratos.Navigate(c.Writer, c.Request, visitor(c), provider, form, func(cookie string) { h.endReplaced(c, cookie) }, func(err error) {
		_ = c.Error(err)
		if !errors.Is(err, context.Canceled) {
			h.Log.WarnContext(c.Request.Context(), "a sign-in failed at the provider's callback", "provider", provider, "error", err)
		}
	})
}

// replacedWithin is how long a browser that has just signed in waits for the end of the session that it had.
const replacedWithin = time.Second

// endReplaced ends the session that the browser had before it signed in once more: nobody has its cookie any more, and it
// would stay in the list of devices. It need not succeed.
func (h *handlers) endReplaced(c *gin.Context, by string) {
	before := h.sessionCookie(c)
	if before == "" {
		return
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), replacedWithin)
	defer cancel()
	if _, err := h.Identity.SignOut(ctx, &identityv1.SignOutRequest{Replaced: before, ReplacedBy: by}); err != nil && c.Request.Context().Err() == nil {
		h.Log.WarnContext(ctx, "the session that a browser had before it signed in again was not ended", "error", err)
	}
}

func (h *handlers) getFlow(c *gin.Context) error {
	if _, err := route.UUID("id", route.Query(c).Get("id")); err != nil {
		return err
	}
	var failure error
	h.Kratos.Flow(c.Writer, c.Request, visitor(c), func(err error) { failure = err })
	return failure
}

func (h *handlers) getSignInError(c *gin.Context) error {
	id, err := route.UUID("id", route.Query(c).Get("id"))
	if err != nil {
		return err
	}
	code, err := h.Kratos.Failure(c.Request.Context(), visitor(c), id)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SignInError{Code: wire.SignInErrorCode(code)})
	return nil
}
