package stacktest

import (
	"net/http"
	"net/url"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

// Call is Person.Call with an answer, for calls that must work.
func Call[A any](t *testing.T, who *person.Person, method, path string, body any) A {
	t.Helper()
	var answer A
	if err := who.Call(t.Context(), method, path, body, &answer); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// MacOf is the app of somebody who is signed in in a browser.
func MacOf(t *testing.T, origin string, browser *person.Person) *mac.Client {
	t.Helper()
	store, err := mac.OpenStore(t.TempDir())
	errtest.None(t, err)
	site, err := mac.ParseSite(origin)
	errtest.None(t, err)
	client := mac.New(mac.Options{Site: site, Store: store})
	attempt := client.Begin("google", mac.Link)
	errtest.None(t, client.Await(t.Context(), attempt))
	page, err := url.Parse(attempt.Page())
	errtest.None(t, err)
	code := Call[struct{ Code string }](t, browser, http.MethodPost, "/api/auth/hand-off", map[string]string{
		"callback": attempt.Callback, "code_challenge": page.Query().Get("code_challenge"), "code_challenge_method": "S256",
	}).Code
	if _, err := client.Handle(t.Context(), attempt.Callback+"?"+url.Values{"code": {code}, "state": {attempt.State}}.Encode()); err != nil {
		t.Fatal(err)
	}
	return client
}
