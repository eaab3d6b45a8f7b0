package waitlist_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/route"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

const goodForm = "email=a%2Bb%40c.co&source=hero_section"

// postForm is what a browser sends without a script.
func postForm(g *apitest.Gateway, form string, options ...apitest.Option) apitest.Answer {
	g.T.Helper()
	return g.Do(http.MethodPost, "/api/add-waitlist-user", append([]apitest.Option{apitest.Header("Content-Type", "application/x-www-form-urlencoded"), apitest.JSONBody(form)}, options...)...)
}

// leads expects a page, and nothing for a script.
func leads(a apitest.Answer, page string) {
	a.T.Helper()
	a.Is(http.StatusSeeOther)
	if a.Header.Get("Location") != page || strings.Contains(string(a.Body), "{") || a.Header.Get("Cache-Control") != "no-store" {
		a.T.Errorf("leads to %q, cached %q, with %s", a.Header.Get("Location"), a.Header.Get("Cache-Control"), a.Body)
	}
}

func TestTheFormJoinsWithoutAScript(t *testing.T) {
	g := apitest.Start(t)
	for _, options := range [][]apitest.Option{{apitest.FromOurPage}, {apitest.Header("Sec-Fetch-Site", "same-origin")}, nil} {
		leads(postForm(g, goodForm, options...), "/joined")
		want := &waitlistv1.JoinRequest{Email: "a+b@c.co", Source: waitlistv1.Source_SOURCE_HERO_SECTION}
		if got, _ := g.Waitlist.Last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("the service was asked %v, want %v", got, want)
		}
	}
	if g.Waitlist.Count() != 3 {
		t.Errorf("%d calls", g.Waitlist.Count())
	}
}

func TestAFormThatFailsLeadsToAPage(t *testing.T) {
	g := apitest.Start(t)
	for name, tt := range map[string]struct {
		form    string
		options []apitest.Option
	}{
		"of another site":    {goodForm, []apitest.Option{apitest.Header("Origin", "https://evil.example")}},
		"of a null origin":   {goodForm, []apitest.Option{apitest.Header("Origin", "null")}},
		"cross-site":         {goodForm, []apitest.Option{apitest.Header("Sec-Fetch-Site", "cross-site")}},
		"of a sub-domain":    {goodForm, []apitest.Option{apitest.Header("Sec-Fetch-Site", "same-site")}},
		"without a source":   {"email=a%40b.co", nil},
		"with two addresses": {"email=a%40b.co&email=c%40d.co&source=hero_section", nil},
		"with another field": {goodForm + "&status=approved", nil},
		"with a semicolon":   {"email=a%40b.co;source=hero_section", nil},
		"broken":             {"email=%zz&source=hero_section", nil},
		"too large":          {"email=" + strings.Repeat("x", 70_000) + "&source=hero_section", nil},
		"empty":              {"", nil},
		"with a bad token":   {goodForm, []apitest.Option{apitest.Bearer("x.y.z")}},
	} {
		t.Run(name, func(t *testing.T) {
			copied := *g
			sub := &copied
			sub.T = t
			leads(postForm(sub, tt.form, tt.options...), "/join-failed")
		})
	}
	if g.Waitlist.Count() != 0 {
		t.Error("a refused form reached the service")
	}
	for _, failure := range []*fault.Error{
		fault.New(fault.Invalid, "invalid_email", "Please enter a valid email address."), fault.New(fault.Unavailable, "database_unavailable", "Later."),
		fault.New(fault.RateLimited, "rate_limited", "Slow down.").RetryAfter(time.Minute),
	} {
		g.Waitlist.Fail(failure)
		leads(postForm(g, goodForm), "/join-failed")
	}
}

func TestAFormThatIsOneTooManyLeadsToAPage(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.Rates[route.SignUp] = limits.Rate{PerMinute: 1, Burst: 1} })
	leads(postForm(g, goodForm), "/joined")
	leads(postForm(g, goodForm), "/join-failed")
	g.Post("/api/add-waitlist-user", `{"email":"a@b.co","source":"hero_section"}`).Fails(http.StatusTooManyRequests, "rate_limited")
}

// TestOnlyTheWaitlistTakesForms: a form can be sent from any site, without a preflight.
func TestOnlyTheWaitlistTakesForms(t *testing.T) {
	g := apitest.Start(t)
	_, token := g.Issuer.User("user@example.com")
	g.Do(http.MethodPost, "/api/consume-credits", apitest.Header("Content-Type", "application/x-www-form-urlencoded"), apitest.JSONBody("amount=1"), apitest.Bearer(token)).
		Fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
}

// TestWhereAddressesAreConfirmedPeopleAreToldSo by the form's script and by the page that the form leads to itself.
func TestWhereAddressesAreConfirmedPeopleAreToldSo(t *testing.T) {
	g := apitest.Start(t)
	g.Waitlist.Confirms = true
	leads(postForm(g, goodForm), "/confirm-sent")
	g.Post("/api/add-waitlist-user", `{"email":"a@b.co","source":"hero_section"}`).
		Is(http.StatusOK, `{"message":"Almost there. If this address is new here, we've sent it an email: please confirm by the link in it.","confirm":true}`)
}
