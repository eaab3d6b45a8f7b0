package identity

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/fault"
)

func sessionOf(s *identityv1.Session) wire.Session {
	return wire.Session{
		AccessToken: s.GetAccessToken(), RefreshToken: s.GetRefreshToken(), TokenType: "bearer",
		ExpiresIn: s.GetExpiresIn(), ExpiresAt: s.GetExpiresAt().AsTime().Unix(), User: userOf(s.GetUser()),
	}
}

// getSession trades the cookie for tokens, and sets or clears the hint cookie.
func (h *handlers) getSession(c *gin.Context) error {
	resp, err := h.openSession(c)
	if err != nil {
		if errors.Is(err, fault.Unauthenticated) {
			h.clearHint(c)
		}
		return err
	}
	h.setHint(c, resp.GetSession().GetUser().GetEmail())
	session := sessionOf(resp.GetSession())
	if resp.GetDeletionTakenBack() {
		session.DeletionTakenBack = new(true)
	}
	c.JSON(http.StatusOK, session)
	return nil
}

// openSession returns the session that the browser's cookie opens.
func (h *handlers) openSession(c *gin.Context) (*identityv1.CreateSessionResponse, error) {
	cookie := h.sessionCookie(c)
	if cookie == "" {
		return nil, kratos.ErrSignedOut
	}
	return h.Identity.CreateSession(c.Request.Context(), &identityv1.CreateSessionRequest{
		Cookie: cookie, UserAgent: userAgent(c), IpAddress: c.ClientIP(),
	})
}

// signOut ends the sessions of the cookie and of the bearer. The browser's cookies are
// cleared even if the services cannot be reached. An invalid or expired bearer is ignored
// beside a cookie; alone it is refused, because nothing would end. If a bearer cannot be
// verified for lack of keys, the cookie's session ends and the answer is 503. Of several
// session cookies, of which one was planted, each one's session ends.
func (h *handlers) signOut(c *gin.Context, req wire.SignOutRequest) error {
	everywhere := req.Scope != nil && *req.Scope == "all"
	switch {
	case req.Scope == nil || *req.Scope == "device" || everywhere:
	case *req.Scope == "others":
		return h.signOutOthers(c)
	default:
		return route.Invalid("scope", "is not device, all or others")
	}
	cookies := h.sessionCookies(c)
	if len(cookies) > maxSessionCookies {
		return errTooManyCookies
	}
	ctx, refused := h.ifSignedIn(c)
	h.clearCookies(c)
	if refused != nil && len(cookies) == 0 {
		return refused
	}
	if len(cookies) == 0 {
		cookies = []string{""} // the bearer's session alone
	}
	var failed error
	for _, cookie := range cookies {
		_, err := h.Identity.SignOut(ctx, &identityv1.SignOutRequest{Cookie: cookie, Everywhere: everywhere})
		failed = cmp.Or(failed, err)
	}
	if failed != nil {
		return failed
	}
	if errors.Is(refused, fault.Unavailable) {
		return refused
	}
	c.Status(http.StatusNoContent)
	return nil
}

// signOutOthers ends the other sessions of the bearer's account. This browser stays signed in.
func (h *handlers) signOutOthers(c *gin.Context) error {
	ctx, err := h.ifSignedIn(c)
	if err != nil {
		return err
	}
	if _, ok := authn.FromContext(ctx); !ok {
		return kratos.ErrSignedOut
	}
	if _, err := h.Identity.SignOut(ctx, &identityv1.SignOutRequest{Cookie: h.sessionCookie(c), Others: true}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

// clearCookies makes the browser forget that it was signed in.
func (h *handlers) clearCookies(c *gin.Context) {
	h.clearHint(c)
	http.SetCookie(c.Writer, &http.Cookie{
		Name: h.Kratos.SessionCookie(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode,
	})
}

// sessionCookie returns the session's part of the Cookie header, or "". Of two nobody knows which
// one is the person's own.
func (h *handlers) sessionCookie(c *gin.Context) string {
	if cookies := h.sessionCookies(c); len(cookies) == 1 {
		return cookies[0]
	}
	return ""
}

// maxSessionCookies bounds how many sessions one request ends. A browser sends more only if a
// sibling host has planted them.
const maxSessionCookies = 4

var errTooManyCookies = fault.New(fault.Invalid, "too_many_cookies", "Please delete this site's cookies in your browser.")

// sessionCookies returns all that are not empty, each as a Cookie header of its own.
func (h *handlers) sessionCookies(c *gin.Context) (headers []string) {
	for _, cookie := range c.Request.CookiesNamed(h.Kratos.SessionCookie()) {
		if cookie.Value != "" {
			headers = append(headers, cookie.Name+"="+cookie.Value)
		}
	}
	return headers
}

// userAgent is what the client calls itself, fit for a list of devices.
func userAgent(c *gin.Context) string {
	return clientinfo.FromContext(c.Request.Context()).UserAgent
}

// ifSignedIn returns the request's context, with the caller's identity if a valid bearer
// was sent. The error is Unauthenticated for an invalid one, and Unavailable while there are
// no keys to verify it with.
func (h *handlers) ifSignedIn(c *gin.Context) (context.Context, error) {
	ctx := c.Request.Context()
	token, ok, err := authn.ParseBearer(c.Request.Header.Values("Authorization"))
	if err != nil || !ok {
		return ctx, err
	}
	p, err := h.Verifier.Verify(ctx, token)
	if err != nil {
		return ctx, err
	}
	return authn.WithPrincipal(ctx, p), nil
}
