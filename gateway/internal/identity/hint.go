package identity

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

const (
	hintCookie = "fledge_hint"
	// hintAge is the lifetime of a Kratos session, in seconds.
	hintAge = 30 * 24 * 60 * 60
)

// setHint lets static pages greet the person without a request to the API. It holds the
// first letter of the address and nothing more.
func (h *handlers) setHint(c *gin.Context, email string) {
	h.writeHint(c, initial(email), hintAge)
}

func (h *handlers) clearHint(c *gin.Context) { h.writeHint(c, "", -1) }

func (h *handlers) writeHint(c *gin.Context, value string, maxAge int) {
	//nolint:gosec // scripts must read it, and it holds one letter
	http.SetCookie(c.Writer, &http.Cookie{
		Name: hintCookie, Value: value, Path: "/", MaxAge: maxAge, SameSite: http.SameSiteLaxMode, Secure: h.Site.Secure(),
	})
}

// initial is the avatar's letter: U if the address starts with a character that a cookie
// cannot hold.
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
