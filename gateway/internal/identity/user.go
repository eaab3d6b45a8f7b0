package identity

import (
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
)

type provider struct {
	Provider string `json:"provider"`
}

type user struct {
	ID          string     `json:"id"`
	Email       string     `json:"email"`
	AppMetadata provider   `json:"app_metadata"`
	Identities  []provider `json:"identities"`
	Factors     []struct{} `json:"factors"`
}

func userOf(u *identityv1.User) user {
	answer := user{
		ID: u.GetId(), Email: u.GetEmail(), AppMetadata: provider{u.GetProvider()},
		Identities: make([]provider, 0, len(u.GetIdentities())), Factors: []struct{}{},
	}
	for _, name := range u.GetIdentities() {
		answer.Identities = append(answer.Identities, provider{name})
	}
	return answer
}

func (h *handlers) getUser(c *gin.Context) error {
	resp, err := h.identity.GetUser(c.Request.Context(), &identityv1.GetUserRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, userOf(resp.GetUser()))
	return nil
}

type isAdminAnswer struct {
	IsAdmin bool `json:"isAdmin"`
}

func (h *handlers) isAdmin(c *gin.Context) error {
	resp, err := h.identity.IsAdmin(c.Request.Context(), &identityv1.IsAdminRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, isAdminAnswer{resp.GetIsAdmin()})
	return nil
}

// keysAway is how long caches may keep a key set that may be outdated.
const keysAway = 10 * time.Second

// getJWKS publishes the keys. While identity is down it answers the last known set: valid
// tokens stay valid.
func (h *handlers) getJWKS(c *gin.Context) error {
	resp, err := h.identity.GetJWKS(c.Request.Context(), &identityv1.GetJWKSRequest{})
	document, age := resp.GetJwks(), authn.KeysFresh
	if err == nil {
		h.keys.Store(&document)
	} else {
		last := h.keys.Load()
		if last == nil {
			return err
		}
		document, age = *last, keysAway
	}
	c.Header("Cache-Control", fmt.Sprintf("public, max-age=%.0f", age.Seconds()))
	c.Data(http.StatusOK, "application/json; charset=utf-8", document)
	return nil
}
