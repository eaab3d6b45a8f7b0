package signin

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestSignIn shares one world: its parts take longer to start than the tests run.
func TestSignIn(t *testing.T) {
	w := newWorld(t)
	for name, test := range map[string]func(*testing.T, *world){
		"by Google":                          byGoogle,
		"by Apple":                           byApple,
		"again is the same account":          again,
		"fresh, while signed in":             fresh,
		"as the bootstrap admin":             asAdmin,
		"second provider is linked":          secondProvider,
		"linking needs the right account":    wrongAccountWhenLinking,
		"providers are added and removed":    linking,
		"a second factor for staff":          secondFactor,
		"a provider that refuses everybody":  refusing,
		"what Apple reports is followed":     appleReports,
		"unverified address is refused":      unverified,
		"an address that folds is refused":   foldedAddress,
		"another address is the same person": anotherAddress,
		"declining leads back":               declining,
		"sign-out ends it everywhere":        signOut,
		"a forged cookie costs one call":     forgedCookie,
		"a provider's answer works once":     replayedAnswer,
		"a planted sign-in signs nobody in":  planted,
		"client-sent traits take nothing":    clientTraits,
		"Kratos' own sign-in is not public":  hiddenPaths,
	} {
		t.Run(name, func(t *testing.T) { test(t, w) })
	}
	t.Run("Kratos away", func(t *testing.T) { kratosAway(t, w) })
}

func byGoogle(t *testing.T, w *world) {
	b := w.browser(t)
	if p := b.signIn("google", "Ann@Example.test"); !p.isOn(w.origin) || p.url.Path != "/auth/callback" {
		t.Fatalf("ended at %s", p.url)
	}
	s := b.session()
	if s.User.Email != "ann@example.test" || s.User.AppMetadata.Provider != "google" || s.TokenType != "bearer" || s.ExpiresIn > 600 {
		t.Errorf("session %+v", s)
	}
	if p := b.api(http.MethodGet, "/api/auth/user", "", "Authorization", "Bearer "+s.AccessToken); p.status != http.StatusOK || !strings.Contains(p.body, s.User.ID) {
		t.Errorf("the token's user: %d %s", p.status, p.body)
	}
	if p := b.api(http.MethodGet, "/api/is-admin", "", "Authorization", "Bearer "+s.AccessToken); p.body != `{"isAdmin":false,"isModerator":false}` {
		t.Errorf("is-admin: %d %s", p.status, p.body)
	}
}

func byApple(t *testing.T, w *world) {
	b := w.browser(t)
	if p := b.signIn("apple", "orchard@example.test"); p.url.Path != "/auth/callback" {
		t.Fatalf("ended at %s", p.url)
	}
	if s := b.session(); s.User.Email != "orchard@example.test" || s.User.AppMetadata.Provider != "apple" {
		t.Errorf("session %+v", s)
	}
}

func again(t *testing.T, w *world) {
	first, second := w.browser(t), w.browser(t)
	first.signIn("google", "twice@example.test")
	second.signIn("google", "twice@example.test")
	if a, b := first.session(), second.session(); a.User.ID != b.User.ID || a.RefreshToken == b.RefreshToken {
		t.Errorf("two browsers of one person: %+v and %+v", a, b)
	}
	// Starting while signed in leads straight on.
	p := first.api(http.MethodPost, "/api/auth/signin/google", profile)
	if p.status != http.StatusOK || !strings.Contains(p.body, w.origin+"/auth/callback?redirect=%2Fprofile") {
		t.Errorf("already signed in: %d %s", p.status, p.body)
	}
}

// fresh asks the provider again although there is a session, and leaves a newer one.
func fresh(t *testing.T, w *world) {
	const target = "redirect=%2Fprofile%23delete-account"
	b := w.browser(t)
	b.signIn("google", "stale@example.test")
	first, at := b.session(), b.authenticatedAt()
	p := b.choose(b.start("google?refresh=true", `{"return_to":"/auth/callback?`+target+`"}`), url.Values{"email": {"stale@example.test"}})
	if !p.isOn(w.origin) || p.url.Path != "/auth/callback" || p.url.RawQuery != target {
		t.Fatalf("ended at %s", p.url)
	}
	if second := b.session(); second.User.ID != first.User.ID || !b.authenticatedAt().After(at) {
		t.Errorf("%+v, signed in at %s, became %+v at %s", first.User, at, second.User, b.authenticatedAt())
	}
	// Without a session there is nothing to refresh, and Google asks all the same.
	w.browser(t).start("google?refresh=true", profile)
	// Another account is signed in then: the page has to say whose it is.
	b.choose(b.start("google?refresh=true", profile), url.Values{"email": {"neighbour@example.test"}})
	if s := b.session(); s.User.Email != "neighbour@example.test" || s.User.ID == first.User.ID {
		t.Errorf("signed in as %+v", s.User)
	}
}

// authenticatedAt is when the browser's person has signed in, in Kratos' words.
func (b *browser) authenticatedAt() time.Time {
	b.t.Helper()
	var s struct {
		AuthenticatedAt time.Time `json:"authenticated_at"`
	}
	site, err := url.Parse(b.w.origin)
	errtest.None(b.t, err)
	h := http.Header{}
	for _, c := range b.jar.Cookies(site) {
		h.Add("Cookie", c.Name+"="+c.Value)
	}
	b.decode(b.send(request{method: http.MethodGet, url: b.w.rawKratos + "/sessions/whoami", header: h, crossSite: true}), http.StatusOK, &s)
	return s.AuthenticatedAt
}

func asAdmin(t *testing.T, w *world) {
	b := w.browser(t)
	b.signIn("google", "admin@fledge.test")
	p := b.api(http.MethodGet, "/api/is-admin", "", "Authorization", "Bearer "+b.session().AccessToken)
	if p.body != `{"isAdmin":true,"isModerator":false}` {
		t.Errorf("is-admin: %d %s", p.status, p.body)
	}
}

// linkingNotice signs up with Google, tries Apple with the same address, and
// returns the flow that asks to link the two.
func linkingNotice(t *testing.T, w *world, email string) (b *browser, flow string) {
	w.browser(t).signIn("google", email)
	b = w.browser(t)
	p := b.signIn("apple", email)
	flow = p.url.Query().Get("flow")
	if p.url.Path != "/signin" || flow == "" {
		t.Fatalf("ended at %s, want the linking notice", p.url)
	}
	var shown struct {
		UI struct {
			Messages []struct{ ID int }
		}
	}
	b.decode(b.api(http.MethodGet, "/api/auth/kratos/self-service/login/flows?id="+flow, ""), http.StatusOK, &shown)
	if len(shown.UI.Messages) != 1 || shown.UI.Messages[0].ID != 1010016 {
		t.Fatalf("the notice says %+v", shown)
	}
	b.signedOut()
	return b, flow
}

func secondProvider(t *testing.T, w *world) {
	const email = "both@example.test"
	b, flow := linkingNotice(t, w, email)
	accounts := b.start("google", `{"flow":"`+flow+`"}`)
	if p := b.choose(accounts, url.Values{"email": {email}}); p.url.Path != "/auth/callback" {
		t.Fatalf("linking ended at %s", p.url)
	}
	linked := b.session().User
	var providers []string
	for _, i := range linked.Identities {
		providers = append(providers, i.Provider)
	}
	if !slices.Equal(providers, []string{"apple", "google"}) {
		t.Errorf("linked providers %v", providers)
	}
	byApple := w.browser(t)
	byApple.signIn("apple", email)
	if got := byApple.session().User; got.ID != linked.ID || got.Email != email {
		t.Errorf("Apple alone leads to %+v, not %+v", got, linked)
	}
}

func wrongAccountWhenLinking(t *testing.T, w *world) {
	b, flow := linkingNotice(t, w, "owner@example.test")
	stranger := w.browser(t)
	if p := stranger.api(http.MethodPost, "/api/auth/signin/google", `{"flow":"`+flow+`"}`); p.status != http.StatusConflict || !strings.Contains(p.body, "sign_in_expired") {
		t.Errorf("another browser goes on: %d %s", p.status, p.body)
	}
	stranger.signIn("google", "stranger@example.test")
	accounts := b.start("google", `{"flow":"`+flow+`"}`)
	if p := b.choose(accounts, url.Values{"email": {"stranger@example.test"}}); p.url.Path != "/signin" {
		t.Errorf("ended at %s", p.url)
	}
	b.signedOut()
}

func unverified(t *testing.T, w *world) {
	for _, provider := range []string{"google", "apple"} {
		b := w.browser(t)
		p := b.choose(b.start(provider, profile), url.Values{"email": {"victim@example.test"}, "unverified": {"yes"}})
		id := p.url.Query().Get("id")
		if p.url.Path != "/auth/error" || id == "" {
			t.Fatalf("%s: ended at %s", provider, p.url)
		}
		if e := b.api(http.MethodGet, "/api/auth/kratos/self-service/errors?id="+id, ""); e.body != `{"code":"email_not_verified"}` {
			t.Errorf("%s: the error page learns %s", provider, e.body)
		}
		b.signedOut()
	}
}

// foldedAddress: to Unicode K (the Kelvin sign) is a k, and Kratos lower-cases by its rules.
func foldedAddress(t *testing.T, w *world) {
	for _, provider := range []string{"google", "apple"} {
		b := w.browser(t)
		if p := b.choose(b.start(provider, profile), url.Values{"email": {"\u212aate@example.test"}}); p.url.Path != "/auth/error" {
			t.Errorf("%s: ended at %s", provider, p.url)
		}
		b.signedOut()
	}
}

// anotherAddress: a person is whom the provider's subject names. With Hide My Email Apple makes another relay
// address for somebody who ends the use here and comes back, and also that of a relay may be anybody's.
func anotherAddress(t *testing.T, w *world) {
	const first, relay, taken = "relay-1@privaterelay.example.test", "relay-2@privaterelay.example.test", "somebody-else@example.test"
	for _, provider := range []string{"apple", "google"} {
		before, other := w.browser(t), w.browser(t)
		before.signIn(provider, provider+first)
		other.signIn(provider, provider+taken)
		who, stranger := before.session().User, other.session().User
		for _, address := range []string{provider + relay, provider + taken} {
			b := w.browser(t)
			if p := b.choose(b.start(provider, profile), url.Values{"email": {address}, "whose": {provider + first}}); p.url.Path != "/auth/callback" {
				t.Fatalf("%s: ended at %s", provider, p.url)
			}
			if now := b.session().User; now.ID != who.ID || now.ID == stranger.ID || now.Email != provider+first {
				t.Errorf("%s: %+v came back as %+v", provider, who, now)
			}
		}
		// The new relay address alone is nobody's account.
		b := w.browser(t)
		b.signIn(provider, provider+relay)
		if now := b.session().User; now.ID == who.ID {
			t.Errorf("%s: an address opened the account of %+v", provider, who)
		}
	}
}

func declining(t *testing.T, w *world) {
	for _, provider := range []string{"google", "apple"} {
		b := w.browser(t)
		p := b.choose(b.start(provider, profile), url.Values{"cancel": {"yes"}})
		flow := p.url.Query().Get("flow")
		if p.url.Path != "/signin" || flow == "" {
			t.Fatalf("%s: ended at %s", provider, p.url)
		}
		// The flow goes on: the second thought works.
		if p := b.choose(b.start(provider, `{"flow":"`+flow+`"}`), url.Values{"email": {provider + "-later@example.test"}}); p.url.Path != "/auth/callback" {
			t.Errorf("%s: after all ended at %s", provider, p.url)
		}
	}
}

func signOut(t *testing.T, w *world) {
	b := w.browser(t)
	b.signIn("google", "leaver@example.test")
	s := b.session()
	thief := b.copy()
	b.api(http.MethodPost, "/api/auth/sign-out", `{}`, "Authorization", "Bearer "+s.AccessToken).is(t, http.StatusNoContent, "sign-out")
	b.signedOut()
	// A copy of the cookie is worth nothing either, which takes asking more than once.
	before := w.whoamis()
	thief.signedOut()
	if n := w.whoamis() - before; n < 2 {
		t.Errorf("Kratos was asked %d times about a session that is over", n)
	}
}

// forgedCookie: Kratos says without its database that it did not make a cookie, and is
// not asked again.
func forgedCookie(t *testing.T, w *world) {
	before := w.whoamis()
	forged := brand.SessionCookie + "=MTc5NTM5OTg0OHxmb3JnZWR8xyz"
	w.browser(t).api(http.MethodGet, "/api/auth/session", "", "Cookie", forged).is(t, http.StatusUnauthorized, "a session of a forged cookie")
	if n := w.whoamis() - before; n != 1 {
		t.Errorf("Kratos was asked %d times", n)
	}
}

// whoamis is how often Kratos was asked whose a cookie is.
func (w *world) whoamis() (n uint64) {
	families, err := w.identity.Metrics.Gather()
	errtest.None(w.t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			// Labels come by name: call, outcome.
			if f.GetName() == "identity_kratos_duration_seconds" && m.GetLabel()[0].GetValue() == "whoami" {
				n += m.GetHistogram().GetSampleCount()
			}
		}
	}
	return n
}

// clientTraits attacks Kratos itself, past the gateway: even if its sign-in were
// reachable, an address that the client sends along must win nothing.
func clientTraits(t *testing.T, w *world) {
	const victim = "rich@example.test"
	b := w.browser(t)
	asJSON := http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}}
	var flow struct{ ID string }
	b.decode(b.send(request{method: http.MethodGet, url: w.rawKratos + "/self-service/login/browser", header: asJSON}), http.StatusOK, &flow)
	var said struct {
		RedirectTo string `json:"redirect_browser_to"`
	}
	body, err := json.Marshal(map[string]any{"method": "oidc", "provider": "google", "traits": map[string]string{"email": victim}})
	errtest.None(t, err)
	b.decode(b.send(request{method: http.MethodPost, url: w.rawKratos + "/self-service/login?flow=" + flow.ID, header: asJSON, body: string(body)}),
		http.StatusUnprocessableEntity, &said)
	barred := counted(t, w.gateway.Metrics, "gateway_sign_in_callbacks_total", "google", "barred")
	p := b.choose(b.visit(said.RedirectTo), url.Values{"email": {"attacker@example.test"}})
	if p.url.Path != "/signin" || p.url.Query().Get("kind") != "registration" {
		t.Errorf("the guard let it end at %s", p.url)
	}
	if n := counted(t, w.gateway.Metrics, "gateway_sign_in_callbacks_total", "google", "barred") - barred; n != 1 {
		t.Errorf("the guard's refusal was counted %v times", n)
	}
	b.signedOut()
	owner := w.browser(t)
	if p := owner.signIn("google", victim); p.url.Path != "/auth/callback" || owner.session().User.Email != victim {
		t.Errorf("the owner of the address ended at %s", p.url)
	}
}

func hiddenPaths(t *testing.T, w *world) {
	b := w.browser(t)
	for _, path := range []string{
		"/self-service/login", "/self-service/login/browser", "/self-service/login/api", "/self-service/registration", "/self-service/registration/browser",
		"/self-service/settings/browser", "/sessions", "/schemas/person", "/admin/identities", "/health/ready", "/self-service/methods/oidc/callback/github",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if p := b.api(method, "/api/auth/kratos"+path, `{}`); p.status != http.StatusNotFound && p.status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s answers %d %s", method, path, p.status, p.body)
			}
		}
	}
}

// kratosAway: an outage is not a sign-out, and ends by itself.
func kratosAway(t *testing.T, w *world) {
	b := w.browser(t)
	b.signIn("google", "patient@example.test")
	before := b.session()
	errtest.None(t, w.kratos.Stop(context.Background()))
	p := b.api(http.MethodGet, "/api/auth/session", "")
	if p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" {
		t.Errorf("while Kratos is away: %d %s", p.status, p.body)
	}
	// Reading one's own record needs no Kratos.
	b.api(http.MethodGet, "/api/auth/user", "", "Authorization", "Bearer "+before.AccessToken).is(t, http.StatusOK, "the user's record")
	w.kratos = w.start()
	waittest.Eventually(t, "the session is back", func() bool { return b.api(http.MethodGet, "/api/auth/session", "").status == http.StatusOK })
	if after := b.session(); after.RefreshToken != before.RefreshToken {
		t.Error("the outage cost the session its family")
	}
}
