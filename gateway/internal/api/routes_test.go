package api_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"fledge.dev/services/platform/authn"
)

const anyID = "0d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d1c11"

// sample is a request that a route takes, and what each kind of caller gets.
type sample struct {
	path, body string
	// The statuses for nobody, an expired bearer, a user and an admin.
	nobody, expired, user, admin int
}

const callbackPath = "/api/auth/kratos/self-service/methods/oidc/callback/"

// samples has a row for every route; the tests fail for a route without one.
var samples = map[string]sample{
	"POST /api/add-waitlist-user":                          {"/api/add-waitlist-user", `{"email":"a@b.co","source":"hero_section"}`, 200, 401, 200, 200},
	"GET /api/get-waitlist-status":                         {"/api/get-waitlist-status", "", 401, 401, 200, 200},
	"GET /api/get-waitlist-users":                          {"/api/get-waitlist-users", "", 401, 401, 403, 200},
	"POST /api/approve-waitlist-user":                      {"/api/approve-waitlist-user", `{"waitlistUserId":"` + anyID + `","action":"approve"}`, 401, 401, 403, 200},
	"POST /api/auth/signin/:provider":                      {"/api/auth/signin/google", `{"return_to":"/auth/callback"}`, 200, 200, 200, 200},
	"GET /api/auth/session":                                {"/api/auth/session", "", 401, 401, 401, 401},
	"GET /api/auth/user":                                   {"/api/auth/user", "", 401, 401, 200, 200},
	"POST /api/auth/sign-out":                              {"/api/auth/sign-out", `{}`, 204, 204, 204, 204},
	"GET /api/auth/jwks.json":                              {"/api/auth/jwks.json", "", 200, 200, 200, 200},
	"GET " + callbackPath + "google":                       {callbackPath + "google?code=x&state=y", "", 303, 303, 303, 303},
	"GET " + callbackPath + "apple":                        {callbackPath + "apple?code=x&state=y", "", 303, 303, 303, 303},
	"POST " + callbackPath + "apple":                       {callbackPath + "apple", `code=x&state=y`, 303, 303, 303, 303},
	"GET /api/auth/kratos/self-service/login/flows":        {"/api/auth/kratos/self-service/login/flows?id=" + flowID, "", 200, 200, 200, 200},
	"GET /api/auth/kratos/self-service/registration/flows": {"/api/auth/kratos/self-service/registration/flows?id=" + flowID, "", 200, 200, 200, 200},
	"GET /api/auth/kratos/self-service/errors":             {"/api/auth/kratos/self-service/errors?id=" + flowID, "", 200, 200, 200, 200},
	"GET /api/is-admin":                                    {"/api/is-admin", "", 401, 401, 200, 200},
	"GET /api/get-github-releases":                         {"/api/get-github-releases", "", 401, 401, 403, 200},
	"POST /api/toggle-release-availability":                {"/api/toggle-release-availability", `{"releaseId":1,"version":"1.2.3","isAvailable":true}`, 401, 401, 403, 200},
	"GET /api/get-latest-downloads":                        {"/api/get-latest-downloads", "", 200, 200, 200, 200},
	"GET /api/download/:version/:filename":                 {"/api/download/1.2.3/Fledge-arm64.dmg", "", 302, 302, 302, 302},
	"HEAD /api/download/:version/:filename":                {"/api/download/1.2.3/Fledge-arm64.dmg", "", 302, 302, 302, 302},
	"GET /api/health":                                      {"/api/health", "", 200, 200, 200, 200},
	"GET /api/openapi.json":                                {"/api/openapi.json", "", 200, 200, 200, 200},
	"GET /api/docs":                                        {"/api/docs", "", 200, 200, 200, 200},
}

// send sends the sample of a route.
func (g *gateway) send(route string, options ...option) answer {
	g.t.Helper()
	s, ok := samples[route]
	if !ok {
		g.t.Fatalf("%s has no row in the table", route)
	}
	method, _, _ := strings.Cut(route, " ")
	if method == http.MethodPost {
		if strings.HasPrefix(s.body, "code=") {
			options = append([]option{header("Content-Type", "application/x-www-form-urlencoded")}, options...)
		}
		options = append([]option{header("Origin", "http://localhost:8080"), jsonBody(s.body)}, options...)
	}
	return g.do(method, s.path, options...)
}

func (g *gateway) served() []string {
	var all []string
	for _, r := range g.api.EngineRoutes() {
		all = append(all, r.Method+" "+r.Path)
	}
	slices.Sort(all)
	return all
}

// ready gives the fakes what the samples ask for.
func ready(t *testing.T) *gateway {
	t.Helper()
	g := start(t)
	g.identity.session = aSession()
	g.releases.url = "https://github.com/o/r/releases/download/v1.2.3/Fledge-arm64.dmg"
	g.kratos.failure = map[string]any{"code": 400}
	return g
}

func TestEveryRouteIsDescribedAndEveryDescriptionIsServed(t *testing.T) {
	g := start(t)
	params := regexp.MustCompile(`:(\w+)`)
	var served []string
	for _, route := range g.served() {
		served = append(served, params.ReplaceAllString(route, "{$1}"))
	}
	described := g.contract.Operations()
	slices.Sort(served)
	slices.Sort(described)
	if !slices.Equal(served, described) {
		t.Errorf("served:\n%s\ndescribed:\n%s", strings.Join(served, "\n"), strings.Join(described, "\n"))
	}
}

func TestWhoMayUseEachRoute(t *testing.T) {
	g := ready(t)
	userID, user := g.issuer.User("user@example.com")
	_, admin := g.issuer.Admin("admin@example.com")
	expired := g.issuer.Token(userID, "user@example.com", func(c *authn.Claims, _ map[string]any) {
		c.ExpiresAt = jwt.NewNumericDate(time.Now().Add(-time.Minute))
	})
	foreign := g.issuer.Token(userID, "user@example.com", func(c *authn.Claims, _ map[string]any) { c.Issuer = "https://evil.example" })
	for _, route := range g.served() {
		want := samples[route]
		for caller, tt := range map[string]struct {
			options []option
			status  int
		}{
			"nobody":  {nil, want.nobody},
			"expired": {[]option{bearer(expired)}, want.expired},
			"foreign": {[]option{bearer(foreign)}, want.expired},
			"user":    {[]option{bearer(user)}, want.user},
			"admin":   {[]option{bearer(admin)}, want.admin},
		} {
			a := g.send(route, tt.options...)
			if a.status != tt.status {
				t.Errorf("%s as %s: %d, want %d: %s", route, caller, a.status, tt.status, a.body)
			}
			if a.status == http.StatusUnauthorized && a.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s as %s: WWW-Authenticate is %q", route, caller, a.header.Get("WWW-Authenticate"))
			}
		}
	}
}

func TestOnlyOneFormOfBearerWorks(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	for name, o := range map[string]option{
		"no token":        header("Authorization", "Bearer"),
		"an empty token":  header("Authorization", "Bearer "),
		"lower case":      header("Authorization", "bearer "+token),
		"two spaces":      header("Authorization", "Bearer  "+token),
		"a trailing part": header("Authorization", "Bearer "+token+" x"),
		"basic":           header("Authorization", "Basic "+token),
		"the token alone": header("Authorization", token),
		"two headers":     func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + token, "Bearer " + token} },
		"a cookie":        cookie("access_token=" + token),
		"a foreign field": header("X-Access-Token", token),
	} {
		t.Run(name, func(t *testing.T) {
			g.get("/api/auth/user", o).is(http.StatusUnauthorized)
		})
	}
	g.get("/api/auth/user?access_token=" + token).is(http.StatusUnauthorized)
	g.get("/api/auth/user", bearer(token)).is(http.StatusOK)
}

func TestClaimedIdentitiesAreIgnored(t *testing.T) {
	g := ready(t)
	adminID, _ := g.issuer.Admin("admin@example.com")
	claims := []option{}
	for _, name := range []string{
		"X-User-ID", "X-Kratos-Authenticated-Identity-Id", "Grpc-Metadata-User-Id", "X-Forwarded-User", "X-Remote-User",
	} {
		claims = append(claims, header(name, adminID))
	}
	claims = append(claims, header("X-Admin", "true"), header("X-Fledge-Internal", internalToken), header("Grpc-Timeout", "99999H"))
	for _, route := range g.served() {
		if a := g.send(route, claims...); a.status != samples[route].nobody {
			t.Errorf("%s: %d, want %d", route, a.status, samples[route].nobody)
		}
	}
	_, user := g.issuer.User("user@example.com")
	g.get("/api/get-waitlist-users", append(claims, bearer(user))...).fails(http.StatusForbidden, "forbidden")
}

func TestALostRoleAndADisabledAccountCount(t *testing.T) {
	g := ready(t)
	id, admin := g.issuer.Admin("admin@example.com")
	g.issuer.Disable(id)
	g.get("/api/get-github-releases", bearer(admin)).fails(http.StatusForbidden, "account_disabled")
	other := uuid.NewString()
	g.get("/api/get-github-releases", bearer(g.issuer.Token(other, "x@example.com", nil))).fails(http.StatusForbidden, "forbidden")
}

func TestThePersonAndTheRequestReachTheService(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	a := g.get("/api/get-waitlist-status", bearer(token)).is(http.StatusOK)
	_, caller := g.waitlist.last()
	if caller.UserID != id || caller.Email != "user@example.com" {
		t.Errorf("the service saw %+v", caller)
	}
	if got := g.waitlist.ids[0]; got != a.header.Get("X-Request-Id") {
		t.Errorf("the service saw the request id %q, the client %q", got, a.header.Get("X-Request-Id"))
	}
}
