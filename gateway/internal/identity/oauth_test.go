package identity_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

var oauthForm = apitest.Header("Content-Type", "application/x-www-form-urlencoded")

// oauthFailure is the answer of RFC 6749, section 5.2.
func oauthFailure(a apitest.Answer) (code, description string) {
	a.T.Helper()
	var said struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if err := json.Unmarshal(a.Body, &said); err != nil {
		a.T.Fatal(err)
	}
	return said.Error, said.Description
}

func TestAFormIsOAuthsRequest(t *testing.T) {
	g := apitest.Ready(t)
	code := url.Values{
		"grant_type": {"authorization_code"}, "code": {"c1"}, "code_verifier": {apitest.Verifier}, "redirect_uri": {"fledge://auth/callback"},
		"client_id": {"fledge-mac"}, "scope": {"all"}, "refresh_token": {""}, "resource": {"https://a.example", "https://b.example"},
	}
	a := g.Post(apitest.TokenPath, code.Encode(), oauthForm, apitest.Header("Authorization", "Basic ZmxlZGdlLW1hYzo=")).Is(http.StatusOK, apitest.SessionJSON)
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", a.Header)
	}
	got, _ := g.Identity.Last()
	asked := got.(*identityv1.ExchangeHandOffCodeRequest)
	if asked.GetCode() != "c1" || asked.GetCodeVerifier() != apitest.Verifier || asked.GetCallback() != "fledge://auth/callback" {
		t.Errorf("identity was asked %v", asked)
	}
	g.Post(apitest.TokenPath, "grant_type=refresh_token&refresh_token=rt0&client_id=x", oauthForm).Is(http.StatusOK, apitest.SessionJSON)
	if got, _ := g.Identity.Last(); got.(*identityv1.RefreshSessionRequest).GetRefreshToken() != "rt0" {
		t.Errorf("identity was asked %v", got)
	}
}

func TestFailuresOfAFormHaveOAuthsCodes(t *testing.T) {
	g := apitest.Ready(t)
	for body, want := range map[string]string{
		"": "invalid_request", "grant_type=": "invalid_request", "a;b": "invalid_request", "grant_type=%zz": "invalid_request", "grant_type=refresh_token%00": "invalid_request",
		"grant_type=password": "unsupported_grant_type",
		"grant_type=refresh_token&refresh_token=a&refresh_token=b": "invalid_request", `{"grant_type":"refresh_token","refresh_token":"rt"}`: "invalid_request",
	} {
		a := g.Post(apitest.TokenPath, body, oauthForm).Is(http.StatusBadRequest)
		if code, description := oauthFailure(a); code != want || description == "" {
			t.Errorf("%s: %s, want %s", body, a.Body, want)
		}
	}
	for _, path := range []string{apitest.TokenPath, "/api/auth/revoke"} {
		for _, contentType := range []string{"application/json; charset=utf-16", "text/plain", "multipart/form-data; boundary=x"} {
			a := g.Post(path, "grant_type=refresh_token&refresh_token=rt", apitest.Header("Content-Type", contentType)).Is(http.StatusUnsupportedMediaType)
			if code, description := oauthFailure(a); code != "invalid_request" || !strings.Contains(description, "form") {
				t.Errorf("%s as %q: %s", path, contentType, a.Body)
			}
		}
	}
	if g.Identity.Count() != 0 {
		t.Error("a refused request reached identity")
	}
	for _, refusal := range []*fault.Error{
		fault.New(fault.Invalid, "invalid_grant", "This sign-in has expired."), fault.New(fault.Unauthenticated, "refresh_token_invalid", "Please sign in again."),
	} {
		g.Identity.Fail(refusal)
		a := g.Post(apitest.TokenPath, "grant_type=refresh_token&refresh_token=rt", oauthForm).Is(http.StatusBadRequest)
		if code, description := oauthFailure(a); code != "invalid_grant" || description != refusal.Message || a.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s with %v", a.Body, a.Header)
		}
	}
	g.Identity.Fail(fault.New(fault.Unavailable, "database_unavailable", "Later."))
	a := g.Post(apitest.TokenPath, "grant_type=refresh_token&refresh_token=rt", oauthForm).Is(http.StatusServiceUnavailable)
	if code, _ := oauthFailure(a); code != "temporarily_unavailable" || a.Header.Get("Retry-After") == "" {
		t.Errorf("%s with %v", a.Body, a.Header)
	}
}

func TestRevokingATokenEndsItsSession(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Post("/api/auth/revoke", url.Values{"token": {token}, "token_type_hint": {"access_token"}}.Encode(), oauthForm).Is(http.StatusOK)
	if req, caller := g.Identity.Last(); !proto.Equal(req.(proto.Message), &identityv1.SignOutRequest{}) || caller.UserID != id {
		t.Errorf("identity was asked %v as %v", req, caller)
	}
	g.Identity.Session.AccessToken = token
	g.Post("/api/auth/revoke", `{"token":"rt0"}`).Is(http.StatusOK)
	if req, caller := g.Identity.Last(); !proto.Equal(req.(proto.Message), &identityv1.SignOutRequest{}) || caller.UserID != id {
		t.Errorf("a refresh token: identity was asked %v as %v", req, caller)
	}
	server := g.Post("/api/auth/revoke", "token="+g.Issuer.Server("builder"), oauthForm).Is(http.StatusBadRequest)
	if code, _ := oauthFailure(server); code != "unsupported_token_type" {
		t.Errorf("a server's token: %s", server.Body)
	}
	g.Identity.Fail(fault.New(fault.Unauthenticated, "refresh_token_invalid", "Please sign in again."))
	g.Post("/api/auth/revoke", "token=spent", oauthForm).Is(http.StatusOK)
	// A browser's, even with its cookie: the refusal of identity ends nothing.
	g.Post("/api/auth/revoke", "token=browsers", oauthForm, apitest.Cookie("fledge_session=s1")).Is(http.StatusOK)
	if req, _ := g.Identity.Last(); req.(*identityv1.RefreshSessionRequest).GetRefreshToken() != "browsers" || req.(*identityv1.RefreshSessionRequest).GetCookie() != "" {
		t.Errorf("a browser's token: identity was asked %v", req)
	}
	g.Identity.Fail(fault.New(fault.Unavailable, "database_unavailable", "Later."))
	g.Post("/api/auth/revoke", "token=rt0", oauthForm).Is(http.StatusServiceUnavailable)
	for _, body := range []string{"", "token=", "token=a&token=b"} {
		if code, _ := oauthFailure(g.Post("/api/auth/revoke", body, oauthForm).Is(http.StatusBadRequest)); code != "invalid_request" {
			t.Errorf("%q: %s", body, code)
		}
	}
}

// TestAnAppSignsOutFromAnyOrigin: no cookie is involved, so no site can have made a browser do it.
func TestAnAppSignsOutFromAnyOrigin(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	foreign := []apitest.Option{apitest.Header("Origin", "null"), apitest.Header("Sec-Fetch-Site", "cross-site")}
	g.Post("/api/auth/sign-out", `{}`, append(foreign, apitest.Header("Authorization", "bearer "+token))...).Is(http.StatusNoContent)
	g.Post("/api/auth/sign-out", `{}`, append(foreign, apitest.Bearer(token), apitest.Cookie("fledge_session=s1"))...).Fails(http.StatusForbidden, "foreign_site")
	g.Post("/api/auth/sign-out", `{}`, foreign...).Fails(http.StatusForbidden, "foreign_site")
}

func TestTheMetadataNamesRoutesThatAreThere(t *testing.T) {
	g := apitest.Ready(t)
	var said map[string]any
	errtest.None(t, json.Unmarshal(g.Get("/.well-known/oauth-authorization-server").Is(http.StatusOK).Body, &said))
	if said["issuer"] != authntest.Origin || said["authorization_endpoint"] != authntest.Origin+"/auth" {
		t.Errorf("%v", said)
	}
	for name, method := range map[string]string{"token_endpoint": "POST ", "revocation_endpoint": "POST ", "jwks_uri": "GET ", "service_documentation": "GET "} {
		path, ours := strings.CutPrefix(said[name].(string), authntest.Origin)
		if _, there := apitest.Samples[method+path]; !ours || !there {
			t.Errorf("%s is %s", name, said[name])
		}
	}
	for _, grant := range said["grant_types_supported"].([]any) {
		g.Post(apitest.TokenPath, "grant_type="+grant.(string), oauthForm).Is(http.StatusOK) // and identity says whether to whom
	}
}

// TestAServerShowsItsSecretInEitherWay that OAuth has for it, and not in both.
func TestAServerShowsItsSecretInEitherWay(t *testing.T) {
	g := apitest.Ready(t)
	const token = `{"access_token":"at","token_type":"bearer","expires_in":600,"scope":"credits:spend"}`
	basic := func(id, secret string) apitest.Option {
		return apitest.Header("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(id+":"+secret)))
	}
	for name, send := range map[string]func() apitest.Answer{
		"in the form": func() apitest.Answer {
			return g.Post(apitest.TokenPath, "grant_type=client_credentials&client_id=builder&client_secret=a%2Bb&scope=credits:spend", oauthForm)
		},
		"in the header": func() apitest.Answer {
			return g.Post(apitest.TokenPath, "grant_type=client_credentials&scope=credits:spend", oauthForm, basic("builder", "a%2Bb"))
		},
		"with the id in both": func() apitest.Answer {
			return g.Post(apitest.TokenPath, "grant_type=client_credentials&client_id=builder&scope=credits:spend", oauthForm, basic("builder", "a%2Bb"))
		},
	} {
		a := send().Is(http.StatusOK, token)
		if a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", name, a.Header)
		}
		got, _ := g.Identity.Last()
		want := &identityv1.CreateServerTokenRequest{ClientId: "builder", ClientSecret: "a+b", Scope: "credits:spend"}
		if !proto.Equal(got.(*identityv1.CreateServerTokenRequest), want) {
			t.Errorf("%s: identity was asked %v", name, got)
		}
	}
	for _, refused := range []struct{ form, id, secret string }{
		{"grant_type=client_credentials&client_secret=a", "builder", "a"}, {"grant_type=client_credentials&client_id=another", "builder", "a"},
		{"grant_type=client_credentials", "builder", "%ff"}, {"grant_type=client_credentials", "builder", "\xff"}, {"grant_type=client_credentials", "%00", "a"},
		{"grant_type=client_credentials", "builder", "100%"},
	} {
		a := g.Post(apitest.TokenPath, refused.form, oauthForm, basic(refused.id, refused.secret))
		if code, _ := oauthFailure(a); a.Status != http.StatusBadRequest || code != "invalid_request" {
			t.Errorf("%+v: %d %s", refused, a.Status, code)
		}
	}
	g.Post(apitest.TokenPath, `{"grant_type":"client_credentials"}`).Fails(http.StatusBadRequest, "invalid_grant_type")
	g.Identity.Fail(fault.New(fault.Unauthenticated, "invalid_client", "The client is not known, or its secret is another."))
	a := g.Post(apitest.TokenPath, "grant_type=client_credentials&client_id=builder&client_secret=x", oauthForm)
	if code, _ := oauthFailure(a); a.Status != http.StatusUnauthorized || code != "invalid_client" || !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Basic realm=") {
		t.Errorf("%d %s %v", a.Status, code, a.Header)
	}
}
