package identity_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

func TestTradingACode(t *testing.T) {
	g := apitest.Ready(t)
	a := g.Post(apitest.TokenPath, apitest.CodeGrant, apitest.From("203.0.113.9"), apitest.Header("User-Agent", "Fledge/1.2"), apitest.Cookie("fledge_session=s1")).Is(http.StatusOK, apitest.SessionJSON)
	if a.Header.Get("Cache-Control") != "no-store" || len(a.Header.Values("Set-Cookie")) != 0 {
		t.Errorf("headers %v", a.Header)
	}
	got, caller := g.Identity.Last()
	want := &identityv1.ExchangeHandOffCodeRequest{
		Code: "c1", CodeVerifier: apitest.Verifier, Callback: "fledge://auth/callback",
		Device: &identityv1.Device{Name: "Zoë's Mac 🖥", UserAgent: "Fledge/1.2", IpAddress: "203.0.113.9"},
	}
	if !proto.Equal(got.(proto.Message), want) || caller.UserID != "" {
		t.Errorf("identity was asked %v as %v, want %v", got, caller, want)
	}
	g.Post(apitest.TokenPath, strings.Replace(apitest.CodeGrant, `,"device_name":"Zoë's Mac 🖥"`, "", 1)).Is(http.StatusOK)
	if got, _ := g.Identity.Last(); got.(*identityv1.ExchangeHandOffCodeRequest).GetDevice().GetName() != "" {
		t.Errorf("identity was asked %v", got)
	}
	g.Identity.Fail(fault.New(fault.Invalid, "invalid_grant", "This code is not valid."))
	g.Post(apitest.TokenPath, apitest.CodeGrant).Fails(http.StatusBadRequest, "invalid_grant")
}

func TestTradingARefreshToken(t *testing.T) {
	g := apitest.Ready(t)
	a := g.Post(apitest.TokenPath, `{"grant_type":"refresh_token","refresh_token":"rt0"}`).Is(http.StatusOK, apitest.SessionJSON)
	if a.Header.Get("Cache-Control") != "no-store" || len(a.Header.Values("Set-Cookie")) != 0 {
		t.Errorf("headers %v", a.Header)
	}
	if got, _ := g.Identity.Last(); got.(*identityv1.RefreshSessionRequest).GetRefreshToken() != "rt0" {
		t.Errorf("identity was asked %v", got)
	}
	g.Post(apitest.TokenPath, `{"grant_type":"refresh_token","refresh_token":"rt0"}`, apitest.From("203.0.113.9"),
		apitest.Header("User-Agent", "Safari"), apitest.Cookie("theme=dark; fledge_session=s1")).Is(http.StatusOK)
	got, _ := g.Identity.Last()
	want := &identityv1.RefreshSessionRequest{RefreshToken: "rt0", Cookie: "fledge_session=s1", UserAgent: "Safari", IpAddress: "203.0.113.9"}
	if !proto.Equal(got.(proto.Message), want) {
		t.Errorf("identity was asked %v, want %v", got, want)
	}
	// Whatever a refresh token looks like, identity alone says that it is wrong.
	g.Identity.Fail(fault.New(fault.Unauthenticated, "refresh_token_invalid", "Please sign in again."))
	var answers []string
	for _, token := range []string{"x", strings.Repeat("x", 512), "a.b.c", "' OR 1=1--", "\u00e9", " rt0", "rt0\\n"} {
		a := g.Post(apitest.TokenPath, `{"grant_type":"refresh_token","refresh_token":"`+token+`"}`).Fails(http.StatusUnauthorized, "refresh_token_invalid")
		answers = append(answers, strings.ReplaceAll(string(a.Body), a.Header.Get("X-Request-Id"), ""))
	}
	for _, body := range answers {
		if body != answers[0] {
			t.Errorf("%s differs from %s", body, answers[0])
		}
	}
}

func TestTokenRefuses(t *testing.T) {
	g := apitest.Ready(t)
	for body, field := range map[string]string{
		`{}`:                        "grant_type",
		`{"grant_type":null}`:       "grant_type",
		`{"grant_type":""}`:         "grant_type",
		`{"grant_type":"password"}`: "grant_type",
		`{"grant_type":"Refresh_Token","refresh_token":"rt"}`:                                            "grant_type",
		`{"grant_type":"refresh_token ","refresh_token":"rt"}`:                                           "grant_type",
		`{"grant_type":"client_credentials","refresh_token":"rt"}`:                                       "grant_type",
		`{"grant_type":["refresh_token"],"refresh_token":"rt"}`:                                          "grant_type",
		`{"refresh_token":"rt"}`:                                                                         "grant_type",
		`{"grant_type":"refresh_token","refresh_token":7}`:                                               "refresh_token",
		`{"grant_type":"refresh_token","refresh_token":{}}`:                                              "refresh_token",
		`{"grant_type":"refresh_token","refresh_token":"rt","code":"c"}`:                                 "code",
		`{"grant_type":"refresh_token","refresh_token":"rt","code":""}`:                                  "code",
		`{"grant_type":"refresh_token","refresh_token":"rt","code_verifier":"` + apitest.Verifier + `"}`: "code_verifier",
		`{"grant_type":"refresh_token","refresh_token":"rt","redirect_uri":"x"}`:                         "redirect_uri",
		`{"grant_type":"refresh_token","refresh_token":"rt","device_name":"x"}`:                          "device_name",
		`{"grant_type":"authorization_code","refresh_token":"rt"}`:                                       "refresh_token",
		strings.Replace(apitest.CodeGrant, `"c1"`, `["c1"]`, 1):                                          "code",
		strings.Replace(apitest.CodeGrant, `"Zoë's Mac 🖥"`, `7`, 1):                                      "device_name",
	} {
		a := g.Post(apitest.TokenPath, body).Is(http.StatusBadRequest)
		var said struct{ Fields map[string]string }
		if err := json.Unmarshal(a.Body, &said); err != nil || len(said.Fields) != 1 || said.Fields[field] == "" {
			t.Errorf("%.200s: %s names %v, want %s", body, a.Body, said.Fields, field)
		}
	}
	// Of several the first is named, each time.
	for range 20 {
		a := g.Post(apitest.TokenPath, `{"grant_type":"refresh_token","device_name":"x","redirect_uri":"x","code_verifier":"x","code":"x"}`)
		a.Fails(http.StatusBadRequest, "invalid_code")
	}
	for body, code := range map[string]string{
		`{"grant_type":"refresh_token","grant_type":"authorization_code","refresh_token":"rt"}`: "invalid_json",
		`{"grant_type":"refresh_token","refresh_token":"a\u0000"}`:                              "invalid_json",
		`{"grant_type":"refresh_token","refresh_token":"rt","client_id":"x"}`:                   "unknown_field",
		`{"grant_type":"refresh_token","refresh_token":"rt","user_id":"` + apitest.AnyID + `"}`: "unknown_field",
		`{"Grant_Type":"refresh_token","refresh_token":"rt"}`:                                   "unknown_field",
		`grant_type=refresh_token&refresh_token=rt`:                                             "invalid_json",
	} {
		g.Post(apitest.TokenPath, body).Fails(http.StatusBadRequest, code)
	}
	g.Post(apitest.TokenPath+"?grant_type=refresh_token", `{"grant_type":"refresh_token","refresh_token":"rt"}`).Fails(http.StatusBadRequest, "unknown_parameter")
	if g.Identity.Count() != 0 {
		t.Error("a refused request reached identity")
	}
}

// TestNoSecretIsLogged sends each secret once and looks for it in the log.
func TestNoSecretIsLogged(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("canary-address@example.com")
	g.Identity.Session.AccessToken, g.Identity.Session.RefreshToken = "canary-access", "canary-minted"
	code := strings.NewReplacer(`"c1"`, `"canary-code"`, apitest.Verifier, "canary-verifier-"+apitest.Verifier, "Zoë's", "canary-device").Replace(apitest.CodeGrant)
	for _, f := range []*fault.Error{nil, fault.New(fault.Invalid, "invalid_grant", "No."), fault.New(fault.Unavailable, "down", "Later.")} {
		if f != nil {
			g.Identity.Fail(f)
		}
		g.Post(apitest.TokenPath, code)
		g.Post(apitest.TokenPath, `{"grant_type":"refresh_token","refresh_token":"canary-refresh"}`)
		g.Send("POST /api/auth/hand-off", apitest.Bearer(token))
		g.Post("/api/auth/hand-off", `{"callback":"fledge://auth/callback"}`, apitest.Bearer(token), apitest.Header("User-Agent", "canary-agent"))
		g.Get("/api/auth/session", apitest.Cookie("fledge_session=canary-cookie"))
		g.Post("/api/auth/sign-out", `{"scope":"all"}`, apitest.Cookie("fledge_session=canary-cookie"), apitest.Bearer(token))
	}
	log := g.Log.String()
	if strings.Contains(log, "canary") || strings.Contains(log, token) || strings.Contains(log, apitest.Challenge) {
		t.Errorf("the log holds a secret:\n%s", log)
	}
}
