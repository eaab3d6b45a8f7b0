package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

const (
	tokenPath = "/api/auth/token"
	codeGrant = `{"grant_type":"authorization_code","code":"c1","code_verifier":"` + verifier + `","redirect_uri":"fledge://auth/callback","device_name":"Zoë's Mac 🖥"}`

	sessionJSON = `{"access_token":"at","refresh_token":"rt","expires_in":600,"expires_at":1800000000,"token_type":"bearer","user":` + userJSON + `}`
)

func TestTradingACode(t *testing.T) {
	g := ready(t)
	a := g.post(tokenPath, codeGrant, from("203.0.113.9"), header("User-Agent", "Fledge/1.2"), cookie("fledge_session=s1")).is(http.StatusOK, sessionJSON)
	if a.header.Get("Cache-Control") != "no-store" || len(a.header.Values("Set-Cookie")) != 0 {
		t.Errorf("headers %v", a.header)
	}
	got, caller := g.identity.last()
	want := &identityv1.ExchangeHandOffCodeRequest{
		Code: "c1", CodeVerifier: verifier, Callback: "fledge://auth/callback",
		Device: &identityv1.Device{Name: "Zoë's Mac 🖥", UserAgent: "Fledge/1.2", IpAddress: "203.0.113.9"},
	}
	if !proto.Equal(got.(proto.Message), want) || caller.UserID != "" {
		t.Errorf("identity was asked %v as %v, want %v", got, caller, want)
	}
	g.post(tokenPath, strings.Replace(codeGrant, `,"device_name":"Zoë's Mac 🖥"`, "", 1)).is(http.StatusOK)
	if got, _ := g.identity.last(); got.(*identityv1.ExchangeHandOffCodeRequest).GetDevice().GetName() != "" {
		t.Errorf("identity was asked %v", got)
	}
	g.identity.fail(fault.New(fault.Invalid, "invalid_grant", "This code is not valid."))
	g.post(tokenPath, codeGrant).fails(http.StatusBadRequest, "invalid_grant")
}

func TestTradingARefreshToken(t *testing.T) {
	g := ready(t)
	a := g.post(tokenPath, `{"grant_type":"refresh_token","refresh_token":"rt0"}`).is(http.StatusOK, sessionJSON)
	if a.header.Get("Cache-Control") != "no-store" || len(a.header.Values("Set-Cookie")) != 0 {
		t.Errorf("headers %v", a.header)
	}
	if got, _ := g.identity.last(); got.(*identityv1.RefreshSessionRequest).GetRefreshToken() != "rt0" {
		t.Errorf("identity was asked %v", got)
	}
	// Whatever a refresh token looks like, identity alone says that it is wrong.
	g.identity.fail(fault.New(fault.Unauthenticated, "refresh_token_invalid", "Please sign in again."))
	var answers []string
	for _, token := range []string{"x", strings.Repeat("x", 512), "a.b.c", "' OR 1=1--", "\u00e9", " rt0", "rt0\\n"} {
		a := g.post(tokenPath, `{"grant_type":"refresh_token","refresh_token":"`+token+`"}`).fails(http.StatusUnauthorized, "refresh_token_invalid")
		answers = append(answers, strings.ReplaceAll(string(a.body), a.header.Get("X-Request-Id"), ""))
	}
	for _, body := range answers {
		if body != answers[0] {
			t.Errorf("%s differs from %s", body, answers[0])
		}
	}
}

func TestTokenRefuses(t *testing.T) {
	g := ready(t)
	long := strings.Repeat("x", 10_000)
	for body, field := range map[string]string{
		`{}`:                        "grant_type",
		`{"grant_type":null}`:       "grant_type",
		`{"grant_type":""}`:         "grant_type",
		`{"grant_type":"password"}`: "grant_type",
		`{"grant_type":"Refresh_Token","refresh_token":"rt"}`:                                    "grant_type",
		`{"grant_type":"refresh_token ","refresh_token":"rt"}`:                                   "grant_type",
		`{"grant_type":"client_credentials","refresh_token":"rt"}`:                               "grant_type",
		`{"grant_type":["refresh_token"],"refresh_token":"rt"}`:                                  "grant_type",
		`{"refresh_token":"rt"}`:                                                                 "grant_type",
		`{"grant_type":"refresh_token"}`:                                                         "refresh_token",
		`{"grant_type":"refresh_token","refresh_token":null}`:                                    "refresh_token",
		`{"grant_type":"refresh_token","refresh_token":""}`:                                      "refresh_token",
		`{"grant_type":"refresh_token","refresh_token":7}`:                                       "refresh_token",
		`{"grant_type":"refresh_token","refresh_token":{}}`:                                      "refresh_token",
		`{"grant_type":"refresh_token","refresh_token":"` + long + `"}`:                          "refresh_token",
		`{"grant_type":"refresh_token","refresh_token":"rt","code":"c"}`:                         "code",
		`{"grant_type":"refresh_token","refresh_token":"rt","code":""}`:                          "code",
		`{"grant_type":"refresh_token","refresh_token":"rt","code_verifier":"` + verifier + `"}`: "code_verifier",
		`{"grant_type":"refresh_token","refresh_token":"rt","redirect_uri":"x"}`:                 "redirect_uri",
		`{"grant_type":"refresh_token","refresh_token":"rt","device_name":"x"}`:                  "device_name",
		`{"grant_type":"authorization_code","refresh_token":"rt"}`:                               "refresh_token",
		strings.Replace(codeGrant, `"code":"c1",`, "", 1):                                        "code",
		strings.Replace(codeGrant, `"c1"`, `""`, 1):                                              "code",
		strings.Replace(codeGrant, `"c1"`, `"`+strings.Repeat("x", 257)+`"`, 1):                  "code",
		strings.Replace(codeGrant, `"c1"`, `["c1"]`, 1):                                          "code",
		strings.Replace(codeGrant, verifier, "", 1):                                              "code_verifier",
		strings.Replace(codeGrant, verifier, verifier[1:], 1):                                    "code_verifier",
		strings.Replace(codeGrant, verifier, strings.Repeat("x", 129), 1):                        "code_verifier",
		strings.Replace(codeGrant, verifier, long, 1):                                            "code_verifier",
		strings.Replace(codeGrant, verifier, verifier[1:]+"+", 1):                                "code_verifier",
		strings.Replace(codeGrant, verifier, verifier+"\\n", 1):                                  "code_verifier",
		strings.Replace(codeGrant, verifier, verifier[1:]+"é", 1):                                "code_verifier",
		strings.Replace(codeGrant, `"fledge://auth/callback"`, `""`, 1):                          "redirect_uri",
		strings.Replace(codeGrant, `"fledge://auth/callback"`, `null`, 1):                        "redirect_uri",
		strings.Replace(codeGrant, `fledge://auth/callback`, long, 1):                            "redirect_uri",
		strings.Replace(codeGrant, `Zoë's Mac 🖥`, strings.Repeat("ë", 65), 1):                    "device_name",
		strings.Replace(codeGrant, `Zoë's Mac 🖥`, `a\r\nb`, 1):                                   "device_name",
		strings.Replace(codeGrant, `Zoë's Mac 🖥`, `\u001b[31m`, 1):                               "device_name",
		strings.Replace(codeGrant, `"Zoë's Mac 🖥"`, `7`, 1):                                      "device_name",
	} {
		a := g.post(tokenPath, body).is(http.StatusBadRequest)
		var said struct{ Fields map[string]string }
		if err := json.Unmarshal(a.body, &said); err != nil || len(said.Fields) != 1 || said.Fields[field] == "" {
			t.Errorf("%.200s: %s names %v, want %s", body, a.body, said.Fields, field)
		}
	}
	// Of several the first is named, each time.
	for range 20 {
		a := g.post(tokenPath, `{"grant_type":"refresh_token","device_name":"x","redirect_uri":"x","code_verifier":"x","code":"x"}`)
		a.fails(http.StatusBadRequest, "invalid_code")
	}
	for body, code := range map[string]string{
		`{"grant_type":"refresh_token","grant_type":"authorization_code","refresh_token":"rt"}`: "invalid_json",
		`{"grant_type":"refresh_token","refresh_token":"a\u0000"}`:                              "invalid_json",
		`{"grant_type":"refresh_token","refresh_token":"rt","client_id":"x"}`:                   "unknown_field",
		`{"grant_type":"refresh_token","refresh_token":"rt","user_id":"` + anyID + `"}`:         "unknown_field",
		`{"Grant_Type":"refresh_token","refresh_token":"rt"}`:                                   "unknown_field",
		`grant_type=refresh_token&refresh_token=rt`:                                             "invalid_json",
	} {
		g.post(tokenPath, body).fails(http.StatusBadRequest, code)
	}
	g.post(tokenPath, `grant_type=refresh_token&refresh_token=rt`, header("Content-Type", "application/x-www-form-urlencoded")).
		fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	g.post(tokenPath+"?grant_type=refresh_token", `{"grant_type":"refresh_token","refresh_token":"rt"}`).fails(http.StatusBadRequest, "unknown_parameter")
	if g.identity.count() != 0 {
		t.Error("a refused request reached identity")
	}
}

// TestNoSecretIsLogged sends each secret once and looks for it in the log.
func TestNoSecretIsLogged(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("canary-address@example.com")
	g.identity.session.AccessToken, g.identity.session.RefreshToken = "canary-access", "canary-minted"
	code := strings.NewReplacer(`"c1"`, `"canary-code"`, verifier, "canary-verifier-"+verifier, "Zoë's", "canary-device").Replace(codeGrant)
	for _, f := range []*fault.Error{nil, fault.New(fault.Invalid, "invalid_grant", "No."), fault.New(fault.Unavailable, "down", "Later.")} {
		if f != nil {
			g.identity.fail(f)
		}
		g.post(tokenPath, code)
		g.post(tokenPath, `{"grant_type":"refresh_token","refresh_token":"canary-refresh"}`)
		g.send("POST /api/auth/hand-off", bearer(token))
		g.post("/api/auth/hand-off", `{"callback":"fledge://auth/callback"}`, bearer(token), header("User-Agent", "canary-agent"))
		g.get("/api/auth/session", cookie("fledge_session=canary-cookie"))
		g.post("/api/auth/sign-out", `{"scope":"all"}`, cookie("fledge_session=canary-cookie"), bearer(token))
	}
	log := g.log.String()
	if strings.Contains(log, "canary") || strings.Contains(log, token) || strings.Contains(log, challenge) {
		t.Errorf("the log holds a secret:\n%s", log)
	}
}
