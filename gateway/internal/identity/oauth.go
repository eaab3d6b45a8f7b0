package identity

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

// What OAuth libraries expect: the form of RFC 6749 and the revocation of RFC 7009. People's client is
// the app, which has no secret: their client_id and client authentication are not looked at. Servers of
// ours have both.

const clientCredentials = "client_credentials"

var (
	errBodyType     = &problem.Refusal{Status: http.StatusUnsupportedMediaType, Code: problem.UnsupportedMediaType.Code, Message: "The body must be a form (application/x-www-form-urlencoded), or application/json in UTF-8."}
	errForm         = fault.New(fault.Invalid, "invalid_form", "The form cannot be read.")
	errServersToken = fault.New(fault.Invalid, "unsupported_token_type", "The token of a server cannot be revoked. It is good for ten minutes at most.")
	errUnsupported  = fault.New(fault.Invalid, "unsupported_grant_type", "The value of grant_type is not authorization_code, refresh_token or client_credentials.")
)

// maxToken is longer than any token of ours.
const maxToken = 8192

// parameters are those that count; all others are ignored, such as the resource of RFC 8707, of which there may be several.
var parameters = []string{
	"grant_type", "code", "code_verifier", "redirect_uri", "device_name", "refresh_token", "client_id", "client_secret", "scope", "token",
}

// readForm reads the parameters. Each may be given once; those without a value count as left out (RFC 6749,
// section 3.2).
func readForm(c *gin.Context) (url.Values, error) {
	raw, err := jsonbody.ReadAll(c.Writer, c.Request, jsonbody.MaxBytes)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, errForm.Wrap(err)
	}
	for _, name := range parameters {
		switch values := form[name]; {
		case len(values) > 1, !route.IsText(form.Get(name)):
			return nil, errForm
		case form.Get(name) == "":
			form.Del(name)
		}
	}
	return form, nil
}

// decode reads what is no form.
func decode[T any](c *gin.Context) (T, error) {
	req, err := jsonbody.Decode[T](c.Writer, c.Request)
	if errors.Is(err, problem.UnsupportedMediaType) {
		err = errBodyType
	}
	return req, err
}

// readGrant reads the grant of a form. What it does not know, or what belongs to another grant, is
// ignored.
func readGrant(c *gin.Context) (tokenRequest, error) {
	form, err := readForm(c)
	if err != nil {
		return tokenRequest{}, err
	}
	field := func(name string) *string { return route.OrNull(form.Get(name)) }
	grant := field("grant_type")
	switch route.Value(grant) {
	case "authorization_code":
		return tokenRequest{
			GrantType: grant, Code: field("code"), CodeVerifier: field("code_verifier"), RedirectURI: field("redirect_uri"), DeviceName: field("device_name"),
		}, nil
	case "refresh_token":
		return tokenRequest{GrantType: grant, RefreshToken: field("refresh_token")}, nil
	case clientCredentials:
		id, secret, err := clientOf(c, form)
		return tokenRequest{GrantType: grant, ClientID: &id, ClientSecret: &secret, Scope: field("scope")}, err
	case "":
		return tokenRequest{}, route.Invalid("grant_type", "is missing")
	default:
		return tokenRequest{}, errUnsupported
	}
}

// clientOf returns how a server authenticates: in the header (RFC 6749, section 2.3.1) or in the form,
// and not both ways.
func clientOf(c *gin.Context, form url.Values) (id, secret string, err error) {
	id, secret, basic := c.Request.BasicAuth()
	if !basic {
		return form.Get("client_id"), form.Get("client_secret"), nil
	}
	id, idErr := url.QueryUnescape(id)
	secret, secretErr := url.QueryUnescape(secret)
	if errors.Join(idErr, secretErr) != nil || !route.IsText(id) || !route.IsText(secret) || form.Has("client_secret") || form.Has("client_id") && form.Get("client_id") != id {
		return "", "", errForm
	}
	return id, secret, nil
}

// serveServer gives a server of ours a token of its own (RFC 6749, section 4.4).
func (h *handlers) serveServer(c *gin.Context, req tokenRequest) error {
	resp, err := h.Identity.CreateServerToken(c.Request.Context(), &identityv1.CreateServerTokenRequest{
		ClientId: *req.ClientID, ClientSecret: *req.ClientSecret, Scope: route.Value(req.Scope),
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.ServerToken{
		AccessToken: resp.GetAccessToken(), TokenType: "bearer", ExpiresIn: resp.GetExpiresIn(), Scope: wire.ServerTokenScope(resp.GetScope()),
	})
	return nil
}

// revokeToken ends the session of an access or a refresh token (RFC 7009). A token that is not good is
// as revoked as it can be; a server's has no session that could end.
func (h *handlers) revokeToken(c *gin.Context) error {
	token, err := readRevocation(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	p, err := h.Verifier.Verify(ctx, token)
	if errors.Is(err, fault.Unauthenticated) {
		p, err = h.traded(c, token)
	}
	if err == nil && p.Server != "" {
		return errServersToken
	}
	if err == nil {
		_, err = h.Identity.SignOut(authn.WithPrincipal(ctx, p), &identityv1.SignOutRequest{})
	}
	if err != nil && !errors.Is(err, fault.Unauthenticated) && !errors.Is(err, fault.Invalid) {
		return err
	}
	c.Status(http.StatusOK)
	return nil
}

func readRevocation(c *gin.Context) (string, error) {
	if route.IsForm(c.Request) {
		form, err := readForm(c)
		if err != nil {
			return "", err
		}
		return form.Get("token"), route.Needed("token", form.Get("token"), maxToken)
	}
	req, err := decode[wire.Revocation](c)
	if err != nil {
		return "", err
	}
	return req.Token, route.Needed("token", req.Token, maxToken)
}

// traded returns whom a refresh token speaks for, by trading it for a session. A spent one ends its session
// by that.
func (h *handlers) traded(c *gin.Context, refreshToken string) (authn.Principal, error) {
	resp, err := h.Identity.RefreshSession(c.Request.Context(), &identityv1.RefreshSessionRequest{
		RefreshToken: refreshToken, UserAgent: userAgent(c), IpAddress: c.ClientIP(),
	})
	if err != nil {
		return authn.Principal{}, err
	}
	return h.Verifier.Verify(c.Request.Context(), resp.GetSession().GetAccessToken())
}

// getMetadata says where the routes of OAuth are and what they understand (RFC 8414).
func (h *handlers) getMetadata(c *gin.Context) error {
	site := h.Site.Origin.String()
	none := []string{"none"}
	c.JSON(http.StatusOK, wire.OAuthMetadata{
		Issuer:                                 site,
		AuthorizationEndpoint:                  site + "/auth",
		TokenEndpoint:                          site + "/api/auth/token",
		RevocationEndpoint:                     site + "/api/auth/revoke",
		JwksURI:                                site + "/api/auth/jwks.json",
		ServiceDocumentation:                   site + "/api/docs",
		ResponseTypesSupported:                 []string{"code"},
		ResponseModesSupported:                 []string{"query"},
		GrantTypesSupported:                    []string{"authorization_code", "refresh_token", clientCredentials},
		CodeChallengeMethodsSupported:          []string{returnto.Method},
		ScopesSupported:                        []string{authn.ScopeSpend},
		TokenEndpointAuthMethodsSupported:      []string{"none", "client_secret_basic", "client_secret_post"},
		RevocationEndpointAuthMethodsSupported: none,
	})
	return nil
}
