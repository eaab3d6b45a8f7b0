package api_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/platform/authntest"
)

func (g *gateway) served() []string {
	var all []string
	for _, r := range g.api.EngineRoutes() {
		all = append(all, r.Method+" "+r.Path)
	}
	slices.Sort(all)
	return all
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
		if a := g.send(route, claims...); a.status != samples[route].who[authntest.Nobody] {
			t.Errorf("%s: %d, want %d", route, a.status, samples[route].who[authntest.Nobody])
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
