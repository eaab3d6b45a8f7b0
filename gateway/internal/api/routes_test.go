package api_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
)

func TestEveryRouteIsDescribedAndEveryDescriptionIsServed(t *testing.T) {
	g := apitest.Start(t)
	params := regexp.MustCompile(`:(\w+)`)
	var served []string
	for _, route := range g.Served() {
		served = append(served, params.ReplaceAllString(route, "{$1}"))
	}
	described := g.Contract.Operations()
	slices.Sort(served)
	slices.Sort(described)
	if !slices.Equal(served, described) {
		t.Errorf("served:\n%s\ndescribed:\n%s", strings.Join(served, "\n"), strings.Join(described, "\n"))
	}
}

func TestOnlyOneFormOfBearerWorks(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	for name, o := range map[string]apitest.Option{
		"no token":        apitest.Header("Authorization", "Bearer"),
		"an empty token":  apitest.Header("Authorization", "Bearer "),
		"two spaces":      apitest.Header("Authorization", "Bearer  "+token),
		"a trailing part": apitest.Header("Authorization", "Bearer "+token+" x"),
		"basic":           apitest.Header("Authorization", "Basic "+token),
		"the token alone": apitest.Header("Authorization", token),
		"two headers":     func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + token, "Bearer " + token} },
		"a cookie":        apitest.Cookie("access_token=" + token),
		"a foreign field": apitest.Header("X-Access-Token", token),
	} {
		t.Run(name, func(t *testing.T) {
			g.Get("/api/auth/user", o).Is(http.StatusUnauthorized)
		})
	}
	g.Get("/api/auth/user?access_token=" + token).Is(http.StatusUnauthorized)
	g.Get("/api/auth/user", apitest.Bearer(token)).Is(http.StatusOK)
	g.Get("/api/auth/user", apitest.Header("Authorization", "bearer "+token)).Is(http.StatusOK)
}

func TestClaimedIdentitiesAreIgnored(t *testing.T) {
	g := apitest.Ready(t)
	adminID, _ := g.Issuer.Admin("admin@example.com")
	claims := []apitest.Option{}
	for _, name := range []string{
		"X-User-ID", "X-Kratos-Authenticated-Identity-Id", "Grpc-Metadata-User-Id", "X-Forwarded-User", "X-Remote-User",
	} {
		claims = append(claims, apitest.Header(name, adminID))
	}
	claims = append(claims, apitest.Header("X-Admin", "true"), apitest.Header("X-Fledge-Internal", apitest.InternalToken), apitest.Header("Grpc-Timeout", "99999H"))
	for _, route := range g.Served() {
		if a := g.Send(route, claims...); a.Status != apitest.Samples[route].Who[authntest.Nobody] {
			t.Errorf("%s: %d, want %d", route, a.Status, apitest.Samples[route].Who[authntest.Nobody])
		}
	}
	_, user := g.Issuer.User("user@example.com")
	g.Get("/api/get-waitlist-users", append(claims, apitest.Bearer(user))...).Fails(http.StatusForbidden, "forbidden")
}

func TestALostRoleAndADisabledAccountCount(t *testing.T) {
	g := apitest.Ready(t)
	id, admin := g.Issuer.Admin("admin@example.com")
	g.Issuer.Disable(id)
	g.Get("/api/get-github-releases", apitest.Bearer(admin)).Fails(http.StatusForbidden, "account_disabled")
	other := uuid.NewString()
	g.Get("/api/get-github-releases", apitest.Bearer(g.Issuer.Token(other, "x@example.com", nil))).Fails(http.StatusForbidden, "forbidden")
}

func TestThePersonAndTheRequestReachTheService(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	a := g.Get("/api/get-waitlist-status", apitest.Bearer(token)).Is(http.StatusOK)
	_, caller := g.Waitlist.Last()
	if caller.UserID != id || caller.Email != "user@example.com" {
		t.Errorf("the service saw %+v", caller)
	}
	if got := g.Waitlist.IDs[0]; got != a.Header.Get("X-Request-Id") {
		t.Errorf("the service saw the request id %q, the client %q", got, a.Header.Get("X-Request-Id"))
	}
}

// TestFailuresOfTheObjectivesAreCountedFrom0, so that the first of a pod is an increase.
func TestFailuresOfTheObjectivesAreCountedFrom0(t *testing.T) {
	rules, err := os.ReadFile("../../../helm/fledge/files/rules/objectives.yaml")
	errtest.None(t, err)
	g := apitest.Start(t)
	counted := map[string]bool{}
	families, err := g.Metrics.Gather()
	errtest.None(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var values []string
			for _, label := range m.GetLabel() { // method, route, status: they are sorted
				values = append(values, label.GetValue())
			}
			if family.GetName() == "http_request_duration_seconds" {
				counted[strings.Join(values, " ")] = true
			}
		}
	}
	selectors := regexp.MustCompile(`method="(\w+)", route=~?"([^"]+)", status=~"5\.\."`).FindAllStringSubmatch(string(rules), -1)
	if len(selectors) != 3 {
		t.Fatalf("the objectives' failures are those of %q", selectors)
	}
	for _, selector := range selectors {
		of, found := regexp.MustCompile("^"+selector[1]+" "+selector[2]+"$"), false
		for _, route := range g.Served() {
			if !of.MatchString(route) {
				continue
			}
			found = true
			for _, status := range []string{" 500", " 503"} {
				if !counted[route+status] {
					t.Errorf("%s has no series for%s", route, status)
				}
			}
		}
		if !found {
			t.Errorf("no route is %s", of)
		}
	}
}
