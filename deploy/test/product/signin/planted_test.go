package signin

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// replayedAnswer: who gets hold of the provider's answer, which travels in an
// address, can do nothing with it.
func replayedAnswer(t *testing.T, w *world) {
	for _, provider := range []string{"google", "apple"} {
		b := w.browser(t)
		answer := b.answer(b.start(provider, profile), url.Values{"email": {provider + "-once@example.test"}})
		early, thief := w.browser(t), w.browser(t)
		twin := b.copy()
		if p := early.follow(early.send(answer)); p.url.Path != "/auth/error" {
			t.Errorf("%s: another browser before the owner ended at %s", provider, p.url)
		}
		early.signedOut()
		if p := b.follow(b.send(answer)); !p.isBack() {
			t.Fatalf("%s: the owner ended at %s", provider, p.url)
		}
		s := b.session()
		for name, other := range map[string]*browser{"another browser": thief, "one with the same cookies": twin} {
			if p := other.follow(other.send(answer)); p.isBack() {
				t.Errorf("%s: %s ended at %s", provider, name, p.url)
			}
			other.signedOut()
		}
		// Not even its owner gets in with it once more.
		b.api(http.MethodPost, "/api/auth/sign-out", `{}`, "Authorization", "Bearer "+s.AccessToken).is(t, http.StatusNoContent, provider+": sign-out")
		b.follow(b.send(answer))
		b.signedOut()
	}
}

// planted: somebody has another person's browser go on with a sign-in of their own, so that what
// the person does there would end in the wrong account.
func planted(t *testing.T, w *world) {
	for _, provider := range []string{"google", "apple"} {
		attacker, victim := w.browser(t), w.browser(t)
		answer := attacker.answer(attacker.start(provider, profile), url.Values{"email": {"attacker@example.test"}})
		accounts := victim.start(provider, profile)
		if p := victim.follow(victim.send(answer)); p.isBack() {
			t.Errorf("%s: with the attacker's answer the person ended at %s", provider, p.url)
		}
		victim.signedOut()
		declined := w.browser(t)
		flow := declined.choose(declined.start(provider, profile), url.Values{"cancel": {"yes"}}).url.Query().Get("flow")
		if p := victim.api(http.MethodPost, "/api/auth/signin/"+provider, `{"flow":"`+flow+`"}`); p.status != http.StatusConflict || !strings.Contains(p.body, "sign_in_expired") {
			t.Errorf("%s: with the attacker's flow the sign-in goes on: %d %s", provider, p.status, p.body)
		}
		if p := victim.api(http.MethodGet, "/api/auth/kratos/self-service/login/flows?id="+flow, ""); p.status != http.StatusNotFound {
			t.Errorf("%s: the attacker's flow is shown: %d %s", provider, p.status, p.body)
		}
		// The person's own sign-in is as it was.
		email := provider + "-victim@example.test"
		if p := victim.choose(accounts, url.Values{"email": {email}}); !p.isBack() || victim.session().User.Email != email {
			t.Errorf("%s: the person's own sign-in ended at %s", provider, p.url)
		}
	}
}
