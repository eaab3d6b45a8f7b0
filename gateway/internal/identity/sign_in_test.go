package identity_test

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/apitest"
)

func TestStartSignIn(t *testing.T) {
	g := apitest.Start(t)
	a := g.Post("/api/auth/signin/google", `{"return_to":"/auth/callback?redirect=%2Fclosed-beta"}`,
		apitest.FromOurPage, apitest.From("203.0.113.9"), apitest.Header("User-Agent", "UA/1"), apitest.Header("X-Forwarded-Host", "evil.example"), apitest.Header("X-Real-Ip", "6.6.6.6"),
		apitest.Cookie("theme=dark; fledge_session=old; csrf_token_abc=stale"))
	a.Is(http.StatusOK, `{"url":"https://accounts.google.com/o/oauth2/v2/auth?x=y"}`)
	if got := strings.Join(a.Header.Values("Set-Cookie"), "\n"); !strings.Contains(got, "csrf_token_abc=c1") || !strings.Contains(got, "ory_kratos_continuity=k1") {
		t.Errorf("the browser is not bound to the flow: %q", got)
	}
	requests, bodies := g.Kratos.Seen()
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	begin, submit := requests[0], requests[1]
	if got := begin.URL.Query().Get("return_to"); got != "http://localhost:8080/auth/callback?redirect=%2Fclosed-beta" {
		t.Errorf("return_to %q", got)
	}
	if apitest.Canonical(t, []byte(bodies[1])) != `{"method":"oidc","provider":"google","upstream_parameters":{"prompt":"select_account"}}` || submit.URL.RawQuery != "flow="+apitest.FlowID {
		t.Errorf("submitted %s to ?%s", bodies[1], submit.URL.RawQuery)
	}
	if begin.Header.Get("Cookie") != "fledge_session=old; csrf_token_abc=stale" || submit.Header.Get("Cookie") != "csrf_token_abc=c1; fledge_session=old" {
		t.Errorf("cookies %q, then %q", begin.Header.Get("Cookie"), submit.Header.Get("Cookie"))
	}
	for _, r := range requests {
		h := r.Header
		if h.Get("X-Forwarded-For") != "203.0.113.9" || h.Get("X-Forwarded-Host") != "localhost:8080" || h.Get("X-Forwarded-Proto") != "http" ||
			h.Get("X-Real-Ip") != "" || h.Get("User-Agent") != "UA/1" || h.Get("Accept") != "application/json" {
			t.Errorf("Kratos was told %v", h)
		}
	}
}

func TestStartSignInWhenSignedIn(t *testing.T) {
	g := apitest.Start(t)
	g.Kratos.SignedIn = true
	g.Post("/api/auth/signin/apple", `{"return_to":"/auth/callback"}`, apitest.FromOurPage).Is(http.StatusOK, `{"url":"http://localhost:8080/auth/callback"}`)
}

// TestStartAFreshSignIn: whoever is signed in goes to the provider all the same.
func TestStartAFreshSignIn(t *testing.T) {
	g := apitest.Start(t)
	const body = `{"return_to":"/auth/callback?redirect=%2Fprofile%23delete-account"}`
	g.Kratos.SignedIn = true
	g.Post("/api/auth/signin/google?refresh=true", body, apitest.FromOurPage, apitest.Cookie("fledge_session=s1")).
		Is(http.StatusOK, `{"url":"https://accounts.google.com/o/oauth2/v2/auth?x=y"}`)
	requests, bodies := g.Kratos.Seen()
	if len(requests) != 2 || requests[0].URL.Query().Get("refresh") != "true" || apitest.Canonical(t, []byte(bodies[1])) != `{"method":"oidc","provider":"google","upstream_parameters":{"prompt":"select_account"}}` || requests[1].Header.Get("Cookie") != "csrf_token_abc=c1; fledge_session=s1" {
		t.Fatalf("%d requests, the first to %s", len(requests), requests[0].URL)
	}
	if got := requests[0].URL.Query().Get("return_to"); got != "http://localhost:8080/auth/callback?redirect=%2Fprofile%23delete-account" {
		t.Errorf("return_to %q", got)
	}
	for query, code := range map[string]string{
		"refresh=false": "invalid_refresh", "refresh=": "invalid_refresh", "refresh=1": "invalid_refresh", "refresh=TRUE": "invalid_refresh", "refresh=true%20": "invalid_refresh",
		"refresh": "invalid_refresh", "refresh=true&refresh=true": "invalid_query", "Refresh=true": "unknown_parameter", "aal=aal2": "unknown_parameter",
	} {
		g.Post("/api/auth/signin/google?"+query, body, apitest.FromOurPage).Fails(http.StatusBadRequest, code)
	}
	g.Post("/api/auth/signin/google?refresh=true", `{"flow":"`+apitest.FlowID+`"}`, apitest.FromOurPage).Fails(http.StatusBadRequest, "invalid_refresh")
	g.Post("/api/auth/signin/google?refresh=true", body).Fails(http.StatusForbidden, "foreign_site")
	if requests, _ := g.Kratos.Seen(); len(requests) != 2 {
		t.Error("a refused request reached Kratos")
	}
}

func TestLinkAProvider(t *testing.T) {
	g := apitest.Start(t)
	user := g.Identity.Session.GetUser().GetId()
	body := func(id string) string {
		return `{"return_to":"/auth/callback?redirect=%2Fprofile%23sign-in-methods","user_id":"` + id + `"}`
	}
	const path = "/api/auth/signin/google?link=true"
	cookie := apitest.Cookie("fledge_session=s1")
	g.Post(path, body(user), apitest.FromOurPage, cookie).Is(http.StatusOK, `{"url":"https://accounts.google.com/o/oauth2/v2/auth?x=y"}`)
	requests, bodies := g.Kratos.Seen()
	if len(requests) != 2 || requests[0].URL.Path != "/self-service/settings/browser" || requests[1].URL.Path != "/self-service/settings" ||
		apitest.Canonical(t, []byte(bodies[1])) != `{"link":"google","method":"oidc","upstream_parameters":{"prompt":"select_account"}}` {
		t.Fatalf("Kratos was asked %v, %q", requests, bodies)
	}
	g.Post(path, body(apitest.AnyID), apitest.FromOurPage, cookie).Fails(http.StatusConflict, "another_account")
	g.Post(path, body(user), apitest.FromOurPage).Fails(http.StatusUnauthorized, "no_session")
	g.Post(path, body(user), cookie).Fails(http.StatusForbidden, "foreign_site")
	for query, code := range map[string]string{"link=1": "invalid_link", "link=true&refresh=true": "invalid_link", "link=": "invalid_link", "": "invalid_user_id"} {
		g.Post("/api/auth/signin/google?"+query, body(user), apitest.FromOurPage, cookie).Fails(http.StatusBadRequest, code)
	}
	g.Post(path, `{"return_to":"/auth/callback"}`, apitest.FromOurPage, cookie).Fails(http.StatusBadRequest, "invalid_user_id")
	g.Post(path, `{"flow":"`+apitest.FlowID+`"}`, apitest.FromOurPage, cookie).Fails(http.StatusBadRequest, "invalid_link")
	g.Post(path, `{"return_to":"https://evil.example","user_id":"`+user+`"}`, apitest.FromOurPage, cookie).Fails(http.StatusBadRequest, "invalid_return_to")
	for submit, refused := range map[int]struct {
		status int
		code   string
	}{
		http.StatusUnauthorized:        {http.StatusUnauthorized, "no_session"},
		http.StatusBadRequest:          {http.StatusConflict, "already_linked"},
		http.StatusInternalServerError: {http.StatusServiceUnavailable, "sign_in_unavailable"},
	} {
		g.Kratos.Submit = submit
		g.Post(path, body(user), apitest.FromOurPage, cookie).Fails(refused.status, refused.code)
	}
}

func TestGoOnWithAFlow(t *testing.T) {
	g := apitest.Start(t)
	const body = `{"flow":"` + apitest.FlowID + `"}`
	g.Post("/api/auth/signin/apple", body, apitest.FromOurPage, apitest.Cookie("csrf_token_abc=c1")).Is(http.StatusOK)
	requests, bodies := g.Kratos.Seen()
	if len(requests) != 2 || requests[0].URL.RequestURI() != "/self-service/login/flows?id="+apitest.FlowID || requests[0].Header.Get("Cookie") != "csrf_token_abc=c1" {
		t.Fatalf("Kratos was not asked first whether the flow is this browser's: %d requests", len(requests))
	}
	if requests[1].URL.RawQuery != "flow="+apitest.FlowID || apitest.Canonical(t, []byte(bodies[1])) != `{"method":"oidc","provider":"apple","upstream_parameters":{}}` {
		t.Errorf("Kratos got %s, the body %s", requests[1].URL, bodies[1])
	}
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound, http.StatusGone} {
		g.Kratos.Submit = status
		g.Post("/api/auth/signin/apple", body, apitest.FromOurPage).Fails(http.StatusConflict, "sign_in_expired")
	}
}

// TestGoOnOnlyInTheBrowserThatStarted: whoever knows a flow's id cannot have another person link
// a stranger's account to their own.
func TestGoOnOnlyInTheBrowserThatStarted(t *testing.T) {
	g := apitest.Start(t)
	for lookUp, want := range map[int]struct {
		status int
		code   string
	}{
		http.StatusForbidden:           {http.StatusConflict, "sign_in_expired"},
		http.StatusNotFound:            {http.StatusConflict, "sign_in_expired"},
		http.StatusGone:                {http.StatusConflict, "sign_in_expired"},
		http.StatusInternalServerError: {http.StatusServiceUnavailable, "sign_in_unavailable"},
	} {
		g.Kratos.LookUp = lookUp
		g.Post("/api/auth/signin/google", `{"flow":"`+apitest.FlowID+`"}`, apitest.FromOurPage).Fails(want.status, want.code)
	}
	requests, _ := g.Kratos.Seen()
	for _, r := range requests {
		if r.Method != http.MethodGet {
			t.Errorf("another browser's flow went on: %s %s", r.Method, r.URL)
		}
	}
}

func TestStartSignInRefuses(t *testing.T) {
	g := apitest.Start(t)
	for name, tt := range map[string]struct {
		path, body string
		options    []apitest.Option
		status     int
		code       string
	}{
		"no origin":           {"/api/auth/signin/google", `{"return_to":"/auth/callback"}`, nil, 403, "foreign_site"},
		"a foreign origin":    {"/api/auth/signin/google", `{"return_to":"/auth/callback"}`, []apitest.Option{apitest.Header("Origin", "https://evil.example")}, 403, "foreign_site"},
		"a null origin":       {"/api/auth/signin/google", `{"return_to":"/auth/callback"}`, []apitest.Option{apitest.Header("Origin", "null")}, 403, "foreign_site"},
		"another port":        {"/api/auth/signin/google", `{"return_to":"/auth/callback"}`, []apitest.Option{apitest.Header("Origin", "http://localhost:8081")}, 403, "foreign_site"},
		"another provider":    {"/api/auth/signin/facebook", `{"return_to":"/auth/callback"}`, []apitest.Option{apitest.FromOurPage}, 404, "unknown_provider"},
		"capitals":            {"/api/auth/signin/Google", `{"return_to":"/auth/callback"}`, []apitest.Option{apitest.FromOurPage}, 404, "unknown_provider"},
		"a line break":        {"/api/auth/signin/google%0A", `{"return_to":"/auth/callback"}`, []apitest.Option{apitest.FromOurPage}, 404, "unknown_provider"},
		"a foreign target":    {"/api/auth/signin/google", `{"return_to":"//evil.example"}`, []apitest.Option{apitest.FromOurPage}, 400, "invalid_return_to"},
		"the API as target":   {"/api/auth/signin/google", `{"return_to":"/api/auth/session"}`, []apitest.Option{apitest.FromOurPage}, 400, "invalid_return_to"},
		"no target":           {"/api/auth/signin/google", `{}`, []apitest.Option{apitest.FromOurPage}, 400, "invalid_sign_in"},
		"target and flow":     {"/api/auth/signin/google", `{"return_to":"/auth/callback","flow":"` + apitest.FlowID + `"}`, []apitest.Option{apitest.FromOurPage}, 400, "invalid_sign_in"},
		"a flow that is not":  {"/api/auth/signin/google", `{"flow":"../x"}`, []apitest.Option{apitest.FromOurPage}, 400, "invalid_flow"},
		"traits":              {"/api/auth/signin/google", `{"return_to":"/auth/callback","traits":{"email":"victim@example.com"}}`, []apitest.Option{apitest.FromOurPage}, 400, "unknown_field"},
		"traits in the query": {"/api/auth/signin/google?traits.email=victim@example.com", `{"return_to":"/auth/callback"}`, []apitest.Option{apitest.FromOurPage}, 400, "unknown_parameter"},
	} {
		t.Run(name, func(t *testing.T) {
			g.Post(tt.path, tt.body, tt.options...).Fails(tt.status, tt.code)
		})
	}
	if requests, _ := g.Kratos.Seen(); len(requests) != 0 {
		t.Error("a refused request reached Kratos")
	}
}

// TestANullOriginIsToldWhatToDo: another site's address needs no explanation.
func TestANullOriginIsToldWhatToDo(t *testing.T) {
	g := apitest.Start(t)
	for path, body := range map[string]string{"/api/auth/signin/google": `{"return_to":"/auth/callback"}`, "/api/auth/sign-out": `{}`} {
		for _, fetch := range []string{"same-origin", "cross-site", ""} {
			for origin, told := range map[string]bool{"null": true, "https://evil.example": false} {
				a := g.Post(path, body, apitest.Header("Origin", origin), apitest.Header("Sec-Fetch-Site", fetch), apitest.Cookie("fledge_session=s1")).Fails(http.StatusForbidden, "foreign_site")
				if got := strings.Contains(string(a.Body), "Your browser sent the header Origin: null"); got != told {
					t.Errorf("%s from %s, %q: %s", path, origin, fetch, a.Body)
				}
			}
		}
	}
}

func TestSignInWhileKratosOrTheProviderIsDown(t *testing.T) {
	g := apitest.Start(t)
	g.Kratos.Submit = http.StatusInternalServerError
	a := g.Post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, apitest.FromOurPage).Fails(http.StatusServiceUnavailable, "sign_in_unavailable")
	for _, secret := range []string{"secret detail", "ada@example.com"} {
		if strings.Contains(string(a.Body)+g.Log.String(), secret) {
			t.Errorf("%s belongs nowhere", secret)
		}
	}
	for _, cause := range []string{"an_id", "a reason"} {
		if strings.Contains(string(a.Body), cause) || !strings.Contains(g.Log.String(), cause) {
			t.Errorf("%s, the cause, belongs into the log and nowhere else", cause)
		}
	}
	g.Kratos.Close()
	g.Post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, apitest.FromOurPage).Fails(http.StatusServiceUnavailable, "sign_in_unavailable")
	g.Get("/api/auth/kratos/self-service/login/flows?id="+apitest.FlowID).Fails(http.StatusServiceUnavailable, "sign_in_unavailable")
	// A person who navigates must not end on a page of JSON.
	a = g.Get(apitest.CallbackPath+"google?code=x&state=y", apitest.Cookie(apitest.Begun)).Is(http.StatusSeeOther)
	if a.Header.Get("Location") != "http://localhost:8080/auth/error" {
		t.Errorf("the browser goes to %q", a.Header.Get("Location"))
	}
	told := false
	for line := range strings.Lines(g.Log.String()) {
		told = told || strings.Contains(line, `"level":"WARN"`) && strings.Contains(line, a.Header.Get("X-Request-Id")) &&
			strings.Contains(line, `"provider":"google"`) && strings.Contains(line, "connection refused") && !strings.Contains(line, "code=x")
	}
	if !told || !strings.Contains(g.Log.String(), `"status":303,"bytes":`) || !strings.Contains(g.Log.String(), `"reason":"sign_in_unavailable"`) {
		t.Errorf("the log does not tell why:\n%s", g.Log.String())
	}
}

func TestFlows(t *testing.T) {
	g := apitest.Start(t)
	for _, kind := range []string{"login", "registration"} {
		path := "/api/auth/kratos/self-service/" + kind + "/flows"
		a := g.Get(path+"?id="+apitest.FlowID, apitest.Cookie("csrf_token_abc=c1")).Is(http.StatusOK)
		if a.Header.Get("X-Kratos-Internal") != "" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", a.Header)
		}
		g.Get(path).Fails(http.StatusBadRequest, "invalid_id")
		g.Get(path+"?id=x").Fails(http.StatusBadRequest, "invalid_id")
		g.Get(path+"?id="+apitest.FlowID+"&token=x").Fails(http.StatusBadRequest, "unknown_parameter")
	}
	for _, status := range []int{403, 404, 410} {
		g.Kratos.LookUp = status
		g.Get("/api/auth/kratos/self-service/login/flows?id="+apitest.FlowID).Fails(http.StatusNotFound, "flow_not_found")
	}
	g.Kratos.LookUp = 500
	g.Get("/api/auth/kratos/self-service/login/flows?id="+apitest.FlowID).Fails(http.StatusServiceUnavailable, "sign_in_unavailable")
}

func TestSignInErrorsAreReducedToACode(t *testing.T) {
	g := apitest.Start(t)
	path := "/api/auth/kratos/self-service/errors?id=" + apitest.FlowID
	for code, failure := range map[string]map[string]any{
		"email_not_verified":  {"code": 500, "message": "RUNTIME ERROR: email_not_verified /etc/kratos/person.jsonnet:5", "debug": "stack"},
		"account_disabled":    {"code": 401, "message": "identity is disabled"},
		"sign_in_expired":     {"code": 410, "message": "expired"},
		"sign_in_interrupted": {"code": 400, "reason": "state parameter does not match"},
		"unknown":             {"code": 500, "message": "dial tcp 10.0.0.3:5432", "debug": "stack"},
	} {
		g.Kratos.Failure = failure
		g.Get(path).Is(http.StatusOK, `{"code":"`+code+`"}`)
	}
	g.Kratos.LookUp = 404
	g.Get(path).Fails(http.StatusNotFound, "sign_in_error_not_found")
}

func TestTheRestOfKratosIsOutOfReach(t *testing.T) {
	g := apitest.Start(t)
	for _, path := range []string{
		"/self-service/login", "/self-service/login/browser", "/self-service/login/api", "/self-service/registration/browser",
		"/self-service/registration", "/self-service/settings", "/self-service/recovery", "/self-service/logout", "/sessions", "/sessions/whoami",
		"/schemas/person", "/admin/identities", "/health/ready", "/version", "/.well-known/ory/webauthn.js", "", "/",
		"/self-service/methods/oidc/callback/facebook", "/self-service/methods/oidc/callback/google/x",
		"/self-service/login/flows/../browser", "/self-service/login/flows%2f..%2fbrowser", "//self-service/login/flows",
	} {
		g.Get("/api/auth/kratos" + path).Is(http.StatusNotFound)
		g.Post("/api/auth/kratos"+path, `{}`).Is(http.StatusNotFound)
	}
	if requests, _ := g.Kratos.Seen(); len(requests) != 0 {
		t.Errorf("Kratos was reached: %s", requests[0].URL)
	}
}

// TestABrokenBodyDoesNotSpeakAgainstKratos: nobody shuts the sign-in for all with posts
// that are too long or break off.
func TestABrokenBodyDoesNotSpeakAgainstKratos(t *testing.T) {
	g := apitest.Start(t)
	form := apitest.Header("Content-Type", "application/x-www-form-urlencoded")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	for range 6 {
		g.Do(http.MethodPost, apitest.CallbackPath+"apple", form, apitest.JSONBody(strings.Repeat("x", 64<<10+1)), chunked).Is(http.StatusSeeOther)
		if got := g.BreakOff("POST", apitest.CallbackPath+"apple"); !strings.HasPrefix(got, "HTTP/1.1 400") || !strings.Contains(got, "body_incomplete") {
			t.Errorf("half a form is answered %q", got)
		}
		for _, path := range []string{apitest.CallbackPath + "google?code=x&state=y", apitest.CallbackPath + "apple?code=x&state=y", "/api/auth/kratos/self-service/login/flows?id=" + apitest.FlowID} {
			if got := g.BreakOff("GET", path); !strings.HasPrefix(got, "HTTP/1.1 303") && !strings.HasPrefix(got, "HTTP/1.1 200") {
				t.Errorf("%s with half a body is answered %q", path, got)
			}
		}
	}
	g.Post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, apitest.FromOurPage).Is(http.StatusOK)
	if requests, bodies := g.Kratos.Seen(); requests[0].Method != http.MethodGet || strings.Join(bodies[:18], "") != "" {
		t.Errorf("Kratos got %.200q", bodies)
	}
}
