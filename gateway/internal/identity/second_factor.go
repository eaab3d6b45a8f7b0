package identity

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/brand"
)

// maxFactorCode is longer than any code, with spaces as people type them.
const maxFactorCode = 32

// member is a member of staff, by the browser's cookie.
type member struct {
	authn.Principal
	// factor is what identity knows of the second factor.
	factor *identityv1.GetSecondFactorResponse
}

// member returns who is signed in, and refuses people who are no staff.
func (h *handlers) member(c *gin.Context) (member, error) {
	resp, err := h.openSession(c)
	if err != nil {
		return member{}, err
	}
	user := resp.GetSession().GetUser()
	p := authn.Principal{UserID: user.GetId(), Email: user.GetEmail(), Bearer: resp.GetSession().GetAccessToken()}
	factor, err := h.Identity.GetSecondFactor(authn.WithPrincipal(c.Request.Context(), p), &identityv1.GetSecondFactorRequest{})
	if err != nil {
		return member{}, err
	}
	if !factor.GetStaff() {
		return member{}, authn.ErrForbidden
	}
	return member{p, factor}, nil
}

// mayChange refuses changes of a second factor to whoever has not just signed in with it.
func (m member) mayChange() error {
	switch {
	case !m.factor.GetFresh():
		return authn.ErrNotFresh
	case !m.factor.GetVerified():
		return authn.ErrSecondFactor
	}
	return nil
}

func (h *handlers) getSecondFactor(c *gin.Context) error {
	m, err := h.member(c)
	if err != nil {
		return err
	}
	has, cookies, err := h.Kratos.SecondFactor(c.Request.Context(), visitor(c))
	if err != nil {
		return err
	}
	setCookies(c, cookies)
	c.JSON(http.StatusOK, wire.SecondFactor{
		Required: m.factor.GetRequired(), Verified: m.factor.GetVerified(), Enrolled: has.App, RecoveryCodes: has.RecoveryCodes,
	})
	return nil
}

func (h *handlers) beginSecondFactor(c *gin.Context) error {
	if _, err := jsonbody.DecodeOptional[struct{}](c.Writer, c.Request); err != nil {
		return err
	}
	m, err := h.member(c)
	if err != nil {
		return err
	}
	if !m.factor.GetFresh() {
		return authn.ErrNotFresh
	}
	e, cookies, err := h.Kratos.Enrol(c.Request.Context(), visitor(c))
	if err != nil {
		return err
	}
	setCookies(c, cookies)
	c.JSON(http.StatusOK, wire.SecondFactorEnrolment{Flow: e.Flow, Secret: e.Secret, QrCode: e.QRCode, URI: keyURI(m.Email, e.Secret)})
	return nil
}

// keyURI is what authenticator apps open, as Google Authenticator has defined it.
func keyURI(email, secret string) string {
	query := url.Values{"secret": {secret}, "issuer": {brand.Name}}
	return (&url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + brand.Name + ":" + email, RawQuery: query.Encode()}).String()
}

func (h *handlers) confirmSecondFactor(c *gin.Context, req wire.ConfirmSecondFactorRequest) error {
	flow, err := route.UUID("flow", req.Flow)
	if err != nil {
		return err
	}
	m, code, err := h.typed(c, req.Code)
	if err != nil {
		return err
	}
	return h.withCode(c, m, code, func(ctx context.Context) ([]*http.Cookie, error) {
		return h.Kratos.Confirm(ctx, visitor(c), flow, code)
	})
}

func (h *handlers) verifySecondFactor(c *gin.Context, req wire.VerifySecondFactorRequest) error {
	m, code, err := h.typed(c, req.Code)
	if err != nil {
		return err
	}
	if m.factor.GetVerified() {
		c.Status(http.StatusNoContent)
		return nil
	}
	return h.withCode(c, m, code, func(ctx context.Context) ([]*http.Cookie, error) {
		return h.Kratos.Verify(ctx, visitor(c), code)
	})
}

// typed returns who typed a code, and the code as Kratos knows it.
func (h *handlers) typed(c *gin.Context, code string) (member, string, error) {
	if err := route.Needed("code", code, maxFactorCode); err != nil {
		return member{}, "", err
	}
	m, err := h.member(c)
	return m, strings.ToLower(strings.Join(strings.Fields(code), "")), err
}

// withCode submits a code that raises the browser's session, once identity has admitted it, and
// lets identity see that.
func (h *handlers) withCode(c *gin.Context, m member, code string, submit func(ctx context.Context) ([]*http.Cookie, error)) error {
	ctx := c.Request.Context()
	if err := h.Kratos.Asked(); err != nil {
		return err // one that Kratos never sees is not used up
	}
	if _, err := h.Identity.AdmitSecondFactorCode(authn.WithPrincipal(ctx, m.Principal), &identityv1.AdmitSecondFactorCodeRequest{Code: code}); err != nil {
		return err
	}
	cookies, err := submit(ctx)
	if err != nil {
		return err
	}
	setCookies(c, cookies)
	if _, err := h.openSession(c); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

func (h *handlers) createRecoveryCodes(c *gin.Context) error {
	if err := h.decodeChange(c); err != nil {
		return err
	}
	codes, cookies, err := h.Kratos.CreateRecoveryCodes(c.Request.Context(), visitor(c))
	if err != nil {
		return err
	}
	setCookies(c, cookies)
	c.JSON(http.StatusOK, wire.RecoveryCodes{Codes: codes})
	return nil
}

func (h *handlers) removeSecondFactor(c *gin.Context) error {
	if err := h.decodeChange(c); err != nil {
		return err
	}
	cookies, err := h.Kratos.RemoveSecondFactor(c.Request.Context(), visitor(c))
	if err != nil {
		return err
	}
	setCookies(c, cookies)
	c.Status(http.StatusNoContent)
	return nil
}

func (h *handlers) decodeChange(c *gin.Context) error {
	if _, err := jsonbody.DecodeOptional[struct{}](c.Writer, c.Request); err != nil {
		return err
	}
	m, err := h.member(c)
	if err != nil {
		return err
	}
	return m.mayChange()
}

func (h *handlers) resetSecondFactor(c *gin.Context, req wire.PersonActionRequest) error {
	if _, err := h.Identity.ResetSecondFactor(c.Request.Context(), &identityv1.ResetSecondFactorRequest{UserId: req.UserID, Reason: req.Reason}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

// setCookies hands Kratos' cookies on as they are.
func setCookies(c *gin.Context, cookies []*http.Cookie) {
	for _, cookie := range cookies {
		c.Writer.Header().Add("Set-Cookie", cookie.Raw)
	}
}
