package signin

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"fledge.dev/services/platform/waittest"
)

const profileMethods = "redirect=%2Fprofile%23sign-in-methods"

func (b *browser) providers(s session) []string {
	b.t.Helper()
	var user session
	b.decode(b.api(http.MethodGet, "/api/auth/user", "", bearer(s)...), http.StatusOK, &user.User)
	var names []string
	for _, i := range user.User.Identities {
		names = append(names, i.Provider)
	}
	return names
}

func linkBody(userID string) string {
	return `{"return_to":"/auth/callback?` + profileMethods + `","user_id":"` + userID + `"}`
}

// linking adds Apple under another address to an account of Google's, and removes providers.
func linking(t *testing.T, w *world) {
	b := w.browser(t)
	b.signIn("google", "linker@example.test")
	s := b.session()

	p := b.choose(b.start("apple?link=true", linkBody(s.User.ID)), url.Values{"email": {"relay@example.test"}})
	if !p.isOn(w.origin) || p.url.Path != "/auth/callback" || p.url.RawQuery != profileMethods {
		t.Fatalf("ended at %s", p.url)
	}
	waittest.Eventually(t, "Apple is listed", func() bool { return slices.Equal(b.providers(s), []string{"apple", "google"}) })
	byApple := w.browser(t)
	byApple.signIn("apple", "relay@example.test")
	if got := byApple.session().User; got.ID != s.User.ID || got.Email != "linker@example.test" {
		t.Errorf("Apple leads to %+v", got)
	}
	b.api(http.MethodPost, "/api/auth/signin/apple?link=true", linkBody(s.User.ID)).is(t, http.StatusConflict, "linking again")

	stranger := w.browser(t)
	stranger.signIn("google", "thief@example.test")
	theirs := stranger.session()
	stranger.api(http.MethodPost, "/api/auth/signin/apple?link=true", linkBody(s.User.ID)).is(t, http.StatusConflict, "as another account than the page shows")
	p = stranger.choose(stranger.start("apple?link=true", linkBody(theirs.User.ID)), url.Values{"email": {"relay@example.test"}})
	if p.url.Path != "/profile" || p.url.Query().Get("linking") != "failed" {
		t.Errorf("somebody else's Apple account ended at %s", p.url)
	}
	if got := stranger.providers(theirs); !slices.Equal(got, []string{"google"}) {
		t.Errorf("and added %v", got)
	}

	b.api(http.MethodPost, "/api/auth/unlink-provider", `{"provider":"google"}`, bearer(s)...).is(t, http.StatusOK, "removing Google")
	if got := b.providers(s); !slices.Equal(got, []string{"apple"}) {
		t.Errorf("left are %v", got)
	}
	if got := b.session().User.AppMetadata.Provider; got != "apple" {
		t.Errorf("the provider to sign in with again is %s", got)
	}
	for provider, status := range map[string]int{"google": http.StatusNotFound, "apple": http.StatusConflict, "github": http.StatusNotFound} {
		if p := b.api(http.MethodPost, "/api/auth/unlink-provider", `{"provider":"`+provider+`"}`, bearer(s)...); p.status != status {
			t.Errorf("removing %s now: %d %s", provider, p.status, p.body)
		}
	}
	byGoogle := w.browser(t)
	if p := byGoogle.signIn("google", "linker@example.test"); p.url.Path != "/signin" {
		t.Errorf("Google still leads to %s", p.url)
	}
	byGoogle.signedOut()
}
