package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

// tokenRequest holds the fields of both grants, so that one of the other grant can be named;
// a null counts as absent.
type tokenRequest struct {
	GrantType    *string `json:"grant_type"`
	Code         *string `json:"code"`
	CodeVerifier *string `json:"code_verifier"`
	RedirectURI  *string `json:"redirect_uri"`
	DeviceName   *string `json:"device_name"`
	RefreshToken *string `json:"refresh_token"`
	// ClientID, ClientSecret and Scope are a server's, which sends forms only.
	ClientID     *string `json:"-"`
	ClientSecret *string `json:"-"`
	Scope        *string `json:"-"`
}

// getToken gives the Mac app its session, at first for a code and later for a refresh token. A form is
// OAuth's request (RFC 6749) and gets OAuth's answers.
func (h *handlers) getToken(c *gin.Context) error {
	var req tokenRequest
	var err error
	if route.IsForm(c.Request) {
		req, err = readGrant(c)
	} else {
		req, err = decode[tokenRequest](c)
	}
	if err != nil {
		return err
	}
	switch grant := route.Value(req.GrantType); {
	case grant == "authorization_code":
		return h.redeemCode(c, req)
	case grant == "refresh_token":
		return h.refresh(c, req)
	case req.ClientID != nil:
		return h.serveServer(c, req)
	default:
		return route.Invalid("grant_type", "is not authorization_code or refresh_token")
	}
}

func (h *handlers) redeemCode(c *gin.Context, req tokenRequest) error {
	if req.RefreshToken != nil {
		return foreign("refresh_token")
	}
	resp, err := h.Identity.ExchangeHandOffCode(c.Request.Context(), &identityv1.ExchangeHandOffCodeRequest{
		Code: route.Value(req.Code), CodeVerifier: route.Value(req.CodeVerifier), Callback: route.Value(req.RedirectURI), Device: device(c, route.Value(req.DeviceName)),
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, sessionOf(resp.GetSession()))
	return nil
}

func (h *handlers) refresh(c *gin.Context, req tokenRequest) error {
	for _, field := range []struct {
		name  string
		value *string
	}{{"code", req.Code}, {"code_verifier", req.CodeVerifier}, {"redirect_uri", req.RedirectURI}, {"device_name", req.DeviceName}} {
		if field.value != nil {
			return foreign(field.name)
		}
	}
	resp, err := h.Identity.RefreshSession(c.Request.Context(), &identityv1.RefreshSessionRequest{
		RefreshToken: route.Value(req.RefreshToken), Cookie: h.sessionCookie(c), UserAgent: userAgent(c), IpAddress: c.ClientIP(),
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, sessionOf(resp.GetSession()))
	return nil
}

// device is the caller as it will appear in the list of devices.
func device(c *gin.Context, name string) *identityv1.Device {
	return &identityv1.Device{Name: name, UserAgent: userAgent(c), IpAddress: c.ClientIP()}
}

// foreign is the fault for a field that belongs to the other kind of request.
func foreign(name string) error { return route.Invalid(name, "does not belong to this grant_type") }
