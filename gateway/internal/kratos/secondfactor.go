package kratos

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

// The refusals of the second factor, besides ErrSignedOut, authn.ErrNotFresh and ErrExpired.
var (
	ErrWrongCode = fault.New(fault.Invalid, "wrong_code", "This code is not right. Codes of the app change every 30 seconds; a recovery code works once.")
	ErrEnrolled  = fault.New(fault.Conflict, "second_factor_enrolled", "Your account has a second factor already.")
	ErrNotSetUp  = fault.New(fault.Conflict, "no_second_factor", "Your account has no second factor. Set one up in your profile.")
)

// SecondFactor is what an account has.
type SecondFactor struct {
	// App is an authenticator app (TOTP, RFC 6238), RecoveryCodes each stand in for it once.
	App, RecoveryCodes bool
}

// Enrolment is what an authenticator app needs.
type Enrolment struct {
	Flow   string
	Secret string
	// QRCode is an image as a data: address.
	QRCode string
}

// SecondFactor returns what the account has that the browser is signed in to.
func (c *Client) SecondFactor(ctx context.Context, v Visitor) (SecondFactor, []*http.Cookie, error) {
	f, cookies, err := c.startSettings(ctx, v, nil)
	return SecondFactor{App: f.has("totp_unlink"), RecoveryCodes: f.has("lookup_secret_reveal")}, cookies, err
}

// Enrol begins to add an authenticator app, which Confirm ends. It fails with ErrEnrolled.
func (c *Client) Enrol(ctx context.Context, v Visitor) (Enrolment, []*http.Cookie, error) {
	f, cookies, err := c.startSettings(ctx, v, nil)
	switch {
	case err != nil:
		return Enrolment{}, nil, err
	case f.has("totp_unlink"):
		return Enrolment{}, nil, ErrEnrolled
	}
	e := Enrolment{Flow: f.ID, Secret: f.node("totp_secret_key").Text.Context.Secret, QRCode: f.node("totp_qr").Src}
	if e.Secret == "" || !strings.HasPrefix(e.QRCode, "data:image/png;base64,") {
		return Enrolment{}, nil, ErrUnavailable
	}
	return e, cookies, nil
}

// Confirm adds the app if it shows the right code, which also raises the browser's session. It
// fails with ErrWrongCode, or ErrExpired when the flow is over, unknown or another browser's.
func (c *Client) Confirm(ctx context.Context, v Visitor, flow, code string) ([]*http.Cookie, error) {
	a, err := c.do(ctx, callFlow, c.breaker, http.MethodGet, "/self-service/settings/flows", url.Values{"id": {flow}}, v, nil)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, c.settingsFailure(a)
	}
	var f uiFlow
	if err := a.decode(&f); err != nil {
		return nil, err
	}
	_, cookies, err := c.submitSettings(ctx, v, f, map[string]any{"method": "totp", "totp_code": code})
	return cookies, err
}

// CreateRecoveryCodes replaces the account's recovery codes.
func (c *Client) CreateRecoveryCodes(ctx context.Context, v Visitor) (codes []string, cookies []*http.Cookie, err error) {
	f, started, err := c.startSettings(ctx, v, nil)
	if err != nil {
		return nil, nil, err
	}
	v.Cookies = merge(v.Cookies, started)
	shown, set, err := c.submitSettings(ctx, v, f, map[string]any{"method": "lookup_secret", "lookup_secret_regenerate": true})
	if err != nil {
		return nil, nil, err
	}
	for _, s := range shown.node("lookup_secret_codes").Text.Context.Secrets {
		codes = append(codes, s.Context.Secret)
	}
	if len(codes) == 0 {
		return nil, nil, ErrUnavailable
	}
	v.Cookies = merge(v.Cookies, set)
	_, saved, err := c.submitSettings(ctx, v, f, map[string]any{"method": "lookup_secret", "lookup_secret_confirm": true})
	return codes, append(append(started, set...), saved...), err
}

// RemoveSecondFactor removes the app and the recovery codes. An account without them is no error.
func (c *Client) RemoveSecondFactor(ctx context.Context, v Visitor) (cookies []*http.Cookie, err error) {
	for _, step := range []struct{ offered, method, submit string }{
		{"lookup_secret_disable", "lookup_secret", "lookup_secret_disable"},
		{"totp_unlink", "totp", "totp_unlink"},
	} {
		f, started, err := c.startSettings(ctx, v, nil)
		if err != nil {
			return cookies, err
		}
		cookies = append(cookies, started...)
		if !f.has(step.offered) {
			continue
		}
		v.Cookies = merge(v.Cookies, started)
		_, set, err := c.submitSettings(ctx, v, f, map[string]any{"method": step.method, step.submit: true})
		if err != nil {
			return cookies, err
		}
		cookies = append(cookies, set...)
	}
	return cookies, nil
}

// Verify raises the browser's session with a code of the app, which has six digits, or a recovery
// code. A session that is raised already is no error. It fails with ErrWrongCode or ErrNotSetUp.
func (c *Client) Verify(ctx context.Context, v Visitor, code string) ([]*http.Cookie, error) {
	a, err := c.do(ctx, callStart, c.breaker, http.MethodGet, "/self-service/login/browser", url.Values{"aal": {"aal2"}}, v, nil)
	if err != nil {
		return nil, err
	}
	var f uiFlow
	if err := a.decode(&f); err != nil {
		return nil, err
	}
	switch {
	case f.Error.ID == "session_already_available":
		return a.cookies, nil
	case a.status == http.StatusUnauthorized, f.Error.ID == "session_aal1_required":
		return nil, ErrSignedOut
	case a.status != http.StatusOK || f.ID == "":
		return nil, a.unexpected()
	case !f.has("totp_code") && !f.has("lookup_secret"):
		return nil, ErrNotSetUp
	}
	submission := map[string]any{"method": "lookup_secret", "lookup_secret": code, "csrf_token": f.csrf()}
	if isAppCode(code) {
		submission = map[string]any{"method": "totp", "totp_code": code, "csrf_token": f.csrf()}
	}
	cookies := a.cookies
	v.Cookies = merge(v.Cookies, cookies)
	a, err = c.do(ctx, callSubmit, c.breaker, http.MethodPost, "/self-service/login", url.Values{"flow": {f.ID}}, v, submission)
	if err != nil {
		return nil, err
	}
	if a.status == http.StatusOK {
		return append(cookies, a.cookies...), nil
	}
	var said uiFlow
	if err := a.decode(&said); err != nil {
		return nil, err
	}
	switch {
	case a.status == http.StatusBadRequest && said.ID != "":
		return nil, ErrWrongCode
	case a.status == http.StatusUnauthorized:
		return nil, ErrSignedOut
	}
	return nil, a.unexpected()
}

func isAppCode(code string) bool {
	return len(code) == 6 && strings.Trim(code, "0123456789") == ""
}

func (c *Client) startSettings(ctx context.Context, v Visitor, query url.Values) (uiFlow, []*http.Cookie, error) {
	a, err := c.do(ctx, callStart, c.breaker, http.MethodGet, "/self-service/settings/browser", query, v, nil)
	if err != nil {
		return uiFlow{}, nil, err
	}
	if a.status != http.StatusOK {
		return uiFlow{}, nil, c.settingsFailure(a)
	}
	var f uiFlow
	if err := a.decode(&f); err != nil {
		return uiFlow{}, nil, err
	}
	if f.ID == "" {
		return uiFlow{}, nil, a.unexpected()
	}
	return f, a.cookies, nil
}

// submitSettings returns the flow as it is afterwards.
func (c *Client) submitSettings(ctx context.Context, v Visitor, f uiFlow, submission map[string]any) (uiFlow, []*http.Cookie, error) {
	submission["csrf_token"] = f.csrf()
	a, err := c.do(ctx, callSubmit, c.breaker, http.MethodPost, "/self-service/settings", url.Values{"flow": {f.ID}}, v, submission)
	if err != nil {
		return uiFlow{}, nil, err
	}
	if a.status != http.StatusOK {
		return uiFlow{}, nil, c.settingsFailure(a)
	}
	var after uiFlow
	if err := a.decode(&after); err != nil {
		return uiFlow{}, nil, err
	}
	return after, a.cookies, nil
}

func (c *Client) settingsFailure(a answer) error {
	var said uiFlow
	if err := a.decode(&said); err != nil {
		return err
	}
	switch {
	case said.Error.ID == "session_refresh_required":
		return authn.ErrNotFresh
	case a.status == http.StatusUnauthorized:
		return ErrSignedOut
	case a.status == http.StatusBadRequest && said.ID != "":
		return ErrWrongCode
	case a.status == http.StatusForbidden, a.status == http.StatusNotFound, a.status == http.StatusGone:
		return ErrExpired
	}
	return a.unexpected()
}
