package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/limits"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

const goodForm = "email=a%2Bb%40c.co&source=hero_section"

// postForm is what a browser sends without a script.
func (g *gateway) postForm(form string, options ...option) answer {
	g.t.Helper()
	return g.do(http.MethodPost, "/api/add-waitlist-user", append([]option{header("Content-Type", "application/x-www-form-urlencoded"), jsonBody(form)}, options...)...)
}

// leads expects a page, and nothing for a script.
func (a answer) leads(page string) {
	a.t.Helper()
	a.is(http.StatusSeeOther)
	if a.header.Get("Location") != page || strings.Contains(string(a.body), "{") || a.header.Get("Cache-Control") != "no-store" {
		a.t.Errorf("leads to %q, cached %q, with %s", a.header.Get("Location"), a.header.Get("Cache-Control"), a.body)
	}
}

func TestTheFormJoinsWithoutAScript(t *testing.T) {
	g := start(t)
	for _, options := range [][]option{{fromOurPage}, {header("Sec-Fetch-Site", "same-origin")}, nil} {
		g.postForm(goodForm, options...).leads("/joined")
		want := &waitlistv1.JoinRequest{Email: "a+b@c.co", Source: waitlistv1.Source_SOURCE_HERO_SECTION}
		if got, _ := g.waitlist.last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("the service was asked %v, want %v", got, want)
		}
	}
	if g.waitlist.count() != 3 {
		t.Errorf("%d calls", g.waitlist.count())
	}
}

func TestAFormThatFailsLeadsToAPage(t *testing.T) {
	g := start(t)
	for name, tt := range map[string]struct {
		form    string
		options []option
	}{
		"of another site":    {goodForm, []option{header("Origin", "https://evil.example")}},
		"of a null origin":   {goodForm, []option{header("Origin", "null")}},
		"cross-site":         {goodForm, []option{header("Sec-Fetch-Site", "cross-site")}},
		"of a sub-domain":    {goodForm, []option{header("Sec-Fetch-Site", "same-site")}},
		"without a source":   {"email=a%40b.co", nil},
		"an empty source":    {"email=a%40b.co&source=", nil},
		"by hand":            {"email=a%40b.co&source=admin", nil},
		"with two addresses": {"email=a%40b.co&email=c%40d.co&source=hero_section", nil},
		"with another field": {goodForm + "&status=approved", nil},
		"with a semicolon":   {"email=a%40b.co;source=hero_section", nil},
		"broken":             {"email=%zz&source=hero_section", nil},
		"a long address":     {"email=" + strings.Repeat("x", 10_000) + "&source=hero_section", nil},
		"too large":          {"email=" + strings.Repeat("x", 70_000) + "&source=hero_section", nil},
		"empty":              {"", nil},
		"with a bad token":   {goodForm, []option{bearer("x.y.z")}},
	} {
		t.Run(name, func(t *testing.T) {
			sub := *g
			sub.t = t
			sub.postForm(tt.form, tt.options...).leads("/join-failed")
		})
	}
	if g.waitlist.count() != 0 {
		t.Error("a refused form reached the service")
	}
	for _, failure := range []*fault.Error{
		fault.New(fault.Invalid, "invalid_email", "Please enter a valid email address."), fault.New(fault.Unavailable, "database_unavailable", "Later."),
		fault.New(fault.RateLimited, "rate_limited", "Slow down.").RetryAfter(time.Minute),
	} {
		g.waitlist.fail(failure)
		g.postForm(goodForm).leads("/join-failed")
	}
}

func TestAFormThatIsOneTooManyLeadsToAPage(t *testing.T) {
	g := start(t, func(c *api.Config) { c.SignUp = limits.Rate{PerMinute: 1, Burst: 1} })
	g.postForm(goodForm).leads("/joined")
	g.postForm(goodForm).leads("/join-failed")
	g.post("/api/add-waitlist-user", `{"email":"a@b.co","source":"hero_section"}`).fails(http.StatusTooManyRequests, "rate_limited")
}

// TestOnlyTheWaitlistTakesForms: a form can be sent from any site, without a preflight.
func TestOnlyTheWaitlistTakesForms(t *testing.T) {
	g := start(t)
	_, token := g.issuer.User("user@example.com")
	g.do(http.MethodPost, "/api/consume-credits", header("Content-Type", "application/x-www-form-urlencoded"), jsonBody("amount=1"), bearer(token)).
		fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
}
