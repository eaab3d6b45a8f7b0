package identity

import (
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
)

func userOf(u *identityv1.User) wire.User {
	answer := wire.User{
		ID: u.GetId(), Email: u.GetEmail(), AppMetadata: wire.User_AppMetadata{Provider: u.GetProvider()},
		Identities: make([]wire.User_Identities, 0, len(u.GetIdentities())), Factors: []map[string]any{},
	}
	for _, name := range u.GetIdentities() {
		answer.Identities = append(answer.Identities, wire.User_Identities{Provider: name})
	}
	return answer
}

func (h *handlers) getUser(c *gin.Context) error {
	resp, err := h.Identity.GetUser(c.Request.Context(), &identityv1.GetUserRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, userOf(resp.GetUser()))
	return nil
}

func (h *handlers) isAdmin(c *gin.Context) error {
	resp, err := h.Identity.IsAdmin(c.Request.Context(), &identityv1.IsAdminRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.IsAdminAnswer{IsAdmin: resp.GetIsAdmin(), IsModerator: resp.GetIsModerator()})
	return nil
}

// keysAway is how long caches may keep a key set that may be outdated.
const keysAway = 10 * time.Second

// getJWKS publishes the keys. While identity is down it answers the last known set: valid
// tokens stay valid.
func (h *handlers) getJWKS(c *gin.Context) error {
	resp, err := h.Identity.GetJWKS(c.Request.Context(), &identityv1.GetJWKSRequest{})
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

// unlinkProvider removes a way to sign in from the caller's account.
func (h *handlers) unlinkProvider(c *gin.Context, req wire.UnlinkProviderRequest) error {
	resp, err := h.Identity.UnlinkProvider(c.Request.Context(), &identityv1.UnlinkProviderRequest{Provider: string(req.Provider)})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, userOf(resp.GetUser()))
	return nil
}
