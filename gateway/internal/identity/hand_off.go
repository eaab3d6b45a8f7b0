package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

// handOff answers what the browser passes on to the Mac app: a code for an app that sent a
// challenge, otherwise a session of the app's own.
func (h *handlers) handOff(c *gin.Context, req wire.HandOffRequest) error {
	if err := h.checkHandOff(req); err != nil {
		return err
	}
	ctx := c.Request.Context()
	if req.CodeChallenge == nil {
		resp, err := h.Identity.CreateDeviceSession(ctx, &identityv1.CreateDeviceSessionRequest{Device: device(c, "")})
		if err != nil {
			return err
		}
		c.JSON(http.StatusOK, wire.HandOffSession{Session: sessionOf(resp.GetSession())})
		return nil
	}
	resp, err := h.Identity.CreateHandOffCode(ctx, &identityv1.CreateHandOffCodeRequest{
		Callback: req.Callback, CodeChallenge: *req.CodeChallenge,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.HandOffCode{Code: resp.GetCode(), ExpiresIn: resp.GetExpiresIn()})
	return nil
}

// checkHandOff checks what identity does not know: the method, and which links are the app's.
func (h *handlers) checkHandOff(r wire.HandOffRequest) error {
	if (r.CodeChallenge != nil) != (r.CodeChallengeMethod != nil) || r.CodeChallenge != nil && *r.CodeChallengeMethod != returnto.Method {
		return route.Invalid("code_challenge_method", "is not S256 beside a code_challenge")
	}
	if !h.Links.Callback(r.Callback, r.CodeChallenge != nil) {
		return route.Invalid("callback", "is not the app's")
	}
	return nil
}
