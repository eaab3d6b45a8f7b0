package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/kratos"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

var errSignedOut = fault.New(fault.Unauthenticated, "no_session", "Please sign in.")

type session struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	ExpiresAt    int64  `json:"expires_at"`
	TokenType    string `json:"token_type"`
	User         user   `json:"user"`
}

// getSession trades the cookie for tokens. The hint cookie follows what it finds.
func (a *API) getSession(c *gin.Context) error {
	cookie := sessionCookie(c)
	if cookie == "" {
		a.clearHint(c)
		return errSignedOut
	}
	resp, err := a.services.Identity.CreateSession(c.Request.Context(), &identityv1.CreateSessionRequest{
		Cookie: cookie, UserAgent: printable(c.Request.UserAgent()), IpAddress: c.ClientIP(),
	})
	if err != nil {
		if errors.Is(err, fault.Unauthenticated) {
			a.clearHint(c)
		}
		return err
	}
	s := resp.GetSession()
	a.setHint(c, s.GetUser().GetEmail())
	c.JSON(http.StatusOK, session{
		AccessToken: s.GetAccessToken(), RefreshToken: s.GetRefreshToken(), TokenType: "bearer",
		ExpiresIn: s.GetExpiresIn(), ExpiresAt: s.GetExpiresAt().AsTime().Unix(), User: userOf(s.GetUser()),
	})
	return nil
}

// signOut ends what the cookie and the bearer stand for. The browser forgets its
// cookies even when the services cannot be told.
func (a *API) signOut(c *gin.Context) error {
	if _, err := jsonbody.Decode[struct{}](c.Writer, c.Request); err != nil {
		return err
	}
	cookie, ctx := sessionCookie(c), a.ifSignedIn(c)
	a.clearHint(c)
	http.SetCookie(c.Writer, &http.Cookie{
		Name: kratos.SessionCookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode,
	})
	if _, err := a.services.Identity.SignOut(ctx, &identityv1.SignOutRequest{Cookie: cookie}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

// sessionCookie returns the session's part of the Cookie header, or "".
func sessionCookie(c *gin.Context) string {
	cookies := c.Request.CookiesNamed(kratos.SessionCookie)
	if len(cookies) != 1 || cookies[0].Value == "" {
		return ""
	}
	return kratos.SessionCookie + "=" + cookies[0].Value
}

const (
	hintCookie = "fledge_hint"
	// hintAge is the lifetime of a Kratos session, in seconds.
	hintAge = 30 * 24 * 60 * 60
)

// setHint lets static pages greet the person without asking the API. It tells
// the first letter of the address and nothing more.
func (a *API) setHint(c *gin.Context, email string) {
	a.writeHint(c, initial(email), hintAge)
}

func (a *API) clearHint(c *gin.Context) { a.writeHint(c, "", -1) }

func (a *API) writeHint(c *gin.Context, value string, maxAge int) {
	//nolint:gosec // scripts must read it, and it holds one letter
	http.SetCookie(c.Writer, &http.Cookie{
		Name: hintCookie, Value: value, Path: "/", MaxAge: maxAge, SameSite: http.SameSiteLaxMode, Secure: a.cfg.Site.Scheme == "https",
	})
}

// initial is the avatar's letter: U when the address starts with something that
// a cookie cannot hold.
func initial(email string) string {
	if email == "" {
		return "U"
	}
	letter := strings.ToUpper(email[:1])
	if letter[0] >= 'A' && letter[0] <= 'Z' || letter[0] >= '0' && letter[0] <= '9' {
		return letter
	}
	return "U"
}

// printable keeps a header fit for a device list: one line of UTF-8, of bounded
// length.
func printable(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), 512)], "")
}
