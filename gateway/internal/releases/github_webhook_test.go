package releases_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/apitest"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

func delivery(signature, event string) apitest.Option {
	return func(r *http.Request) {
		r.Header.Set("X-Hub-Signature-256", signature)
		r.Header.Set("X-GitHub-Event", event)
	}
}

// TestGitHubsWebhookPassesEveryByteOn: what GitHub signed must not be changed on
// the way, whatever it is.
func TestGitHubsWebhookPassesEveryByteOn(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	signature := "sha256=" + strings.Repeat("0f", 32)
	for name, body := range map[string]string{
		"spaces and order": " {\r\n\t\"b\" : 1.0,\"a\":1e2}\n\n", "invalid UTF-8": "{\"a\":\"\xff\xfe\"}", "NUL": "{\x00}", "names twice": `{"a":1,"a":2}`,
		"not JSON": "\x1f\x8b\x08", "nothing": "", "1 MiB": strings.Repeat("\x80", 1<<20),
	} {
		g.Post(apitest.GitHubWebhookPath, body, delivery(signature, "release"), apitest.Cookie("fledge_session=s1"), apitest.Bearer(token), apitest.Header("Origin", "https://evil.com")).
			Is(http.StatusAccepted, `{"received":true}`)
		got, caller := g.Releases.Last()
		r := got.(*releasesv1.ReceiveGitHubEventRequest)
		if !bytes.Equal(r.GetPayload(), []byte(body)) || r.GetSignature() != signature || r.GetEvent() != "release" || caller.UserID != "" {
			t.Errorf("%s: the service got %d bytes, %q, %q, as %q", name, len(r.GetPayload()), r.GetSignature(), r.GetEvent(), caller.UserID)
		}
	}
}

func TestGitHubsWebhookRefuses(t *testing.T) {
	g := apitest.Ready(t)
	const body = `{"action":"published"}`
	twice := func(name string) apitest.Option {
		return func(r *http.Request) {
			delivery("sha256=00", "release")(r)
			r.Header[name] = []string{"sha256=00", "sha256=00"}
		}
	}
	for name, o := range map[string]apitest.Option{
		"neither":      func(*http.Request) {},
		"no signature": apitest.Header("X-GitHub-Event", "release"),
		"no event":     apitest.Header("X-Hub-Signature-256", "sha256=00"),
		"SHA-1 alone": func(r *http.Request) {
			r.Header.Set("X-Hub-Signature", "sha1=00")
			r.Header.Set("X-GitHub-Event", "release")
		},
		"empty":            delivery("", "release"),
		"two signatures":   twice("X-Hub-Signature-256"),
		"two events":       twice("X-Github-Event"),
		"a long signature": delivery(strings.Repeat("v", 8<<10+1), "release"),
		"a long event":     delivery("sha256=00", strings.Repeat("v", 65)),
		"not ASCII":        delivery("sha256=\xff", "release"),
	} {
		if a := g.Post(apitest.GitHubWebhookPath, body, o); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	good := delivery("sha256=00", "release")
	big := strings.Repeat("x", 1<<20+1)
	g.Post(apitest.GitHubWebhookPath, big, good).Fails(http.StatusRequestEntityTooLarge, "body_too_large")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	g.Do(http.MethodPost, apitest.GitHubWebhookPath, good, apitest.JSONBody(big), chunked).Fails(http.StatusRequestEntityTooLarge, "body_too_large")
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"} {
		g.Post(apitest.GitHubWebhookPath, body, good, apitest.Header("Content-Type", contentType)).Fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	g.Post(apitest.GitHubWebhookPath+"?x=1", body, good).Fails(http.StatusBadRequest, "unknown_parameter")
	if g.Releases.Count() != 0 {
		t.Error("a refused delivery reached the service")
	}
	g.Releases.Fail(fault.New(fault.Invalid, "invalid_signature", "The signature is not valid."))
	g.Post(apitest.GitHubWebhookPath, body, good).Fails(http.StatusBadRequest, "invalid_signature")
	g.Releases.Fail(fault.New(fault.NotFound, "no_webhook", "This installation takes no events from GitHub."))
	g.Post(apitest.GitHubWebhookPath, body, good).Fails(http.StatusNotFound, "no_webhook")
}
