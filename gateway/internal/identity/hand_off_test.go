package identity_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/gateway/internal/returnto"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

func TestHandOffWithAChallenge(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	for _, link := range []string{"fledge://auth/callback", "http://127.0.0.1:49152/auth/callback", "http://[::1]:49152/auth/callback"} {
		a := g.Post(apitest.HandOffPath, `{"callback":"`+link+`"`+apitest.WithPKCE+`}`, apitest.Bearer(token)).Is(http.StatusOK, `{"code":"code","expires_in":60}`)
		got, caller := g.Identity.Last()
		want := &identityv1.CreateHandOffCodeRequest{Callback: link, CodeChallenge: apitest.Challenge}
		if !proto.Equal(got.(proto.Message), want) || caller.UserID != id {
			t.Errorf("identity was asked %v as %v, want %v", got, caller, want)
		}
		if a.Header.Get("Cache-Control") != "no-store" {
			t.Error("the code may be kept")
		}
	}
}

func TestHandOffWithoutAChallenge(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	a := g.Post(apitest.HandOffPath, `{"callback":"fledge://auth/callback"}`, apitest.Bearer(token), apitest.From("203.0.113.9"), apitest.Header("User-Agent", "UA/1")).
		Is(http.StatusOK, `{"session":`+apitest.SessionJSON+`}`)
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Error("the session may be kept")
	}
	got, caller := g.Identity.Last()
	want := &identityv1.CreateDeviceSessionRequest{Device: &identityv1.Device{UserAgent: "UA/1", IpAddress: "203.0.113.9"}}
	if !proto.Equal(got.(proto.Message), want) || caller.UserID != id {
		t.Errorf("identity was asked %v as %v, want %v", got, caller, want)
	}
	for _, f := range []*fault.Error{
		fault.New(fault.Forbidden, "token_hand_off_disabled", "This app needs an update to sign in."), fault.New(fault.Forbidden, "forbidden", "No."),
	} {
		g.Identity.Fail(f)
		g.Post(apitest.HandOffPath, `{"callback":"fledge://auth/callback"}`, apitest.Bearer(token)).Fails(http.StatusForbidden, f.Reason)
	}
}

// TestHandOffLeadsToTheAppAlone runs the corpus of links against the route.
func TestHandOffLeadsToTheAppAlone(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	raw, err := os.ReadFile("../returnto/testdata/corpus.json")
	errtest.None(t, err)
	var corpus struct {
		Callback struct{ AcceptedWithPkce, Refused []string }
	}
	if err := json.Unmarshal(raw, &corpus); err != nil || len(corpus.Callback.Refused) < 150 {
		t.Fatalf("%d links, %v", len(corpus.Callback.Refused), err)
	}
	for _, link := range append(corpus.Callback.Refused, corpus.Callback.AcceptedWithPkce...) {
		a := g.Post(apitest.HandOffPath, `{"callback":`+apitest.Encode(t, link)+`}`, apitest.Bearer(token)).Is(http.StatusBadRequest)
		if link != "" && strings.Contains(string(a.Body), link) && len(link) > 2 {
			t.Errorf("%q comes back: %s", link, a.Body)
		}
	}
	for _, link := range corpus.Callback.Refused {
		g.Post(apitest.HandOffPath, `{"callback":`+apitest.Encode(t, link)+apitest.WithPKCE+`}`, apitest.Bearer(token)).Is(http.StatusBadRequest)
	}
	if g.Identity.Count() != 0 {
		t.Error("a refused request reached identity")
	}
}

func TestHandOffRefuses(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	const link = `{"callback":"fledge://auth/callback",`
	for body, code := range map[string]string{
		`{}`: "invalid_callback", `{"callback":null}`: "invalid_callback",
		link + `"code_challenge":"` + apitest.Challenge + `"}`:                                 "invalid_code_challenge_method",
		link + `"code_challenge_method":"S256"}`:                                               "invalid_code_challenge_method",
		link + `"code_challenge":"` + apitest.Challenge + `","code_challenge_method":"plain"}`: "invalid_code_challenge_method",
		link + `"code_challenge":"` + apitest.Challenge + `","code_challenge_method":"s256"}`:  "invalid_code_challenge_method",
		link + `"code_challenge":"` + apitest.Challenge + `","code_challenge_method":""}`:      "invalid_code_challenge_method",
		link + `"state":"x"}`:                       "unknown_field",
		link + `"user_id":"` + apitest.AnyID + `"}`: "unknown_field",
	} {
		g.Post(apitest.HandOffPath, body, apitest.Bearer(token)).Fails(http.StatusBadRequest, code)
	}
	if g.Identity.Count() != 0 {
		t.Error("a refused request reached identity")
	}
}

func TestFurtherLinksOfTheAppGetCodes(t *testing.T) {
	const claimed = "https://app.fledge.example/auth/callback"
	g := apitest.Ready(t, func(c *api.Config) { c.AppLinks = returnto.Links{claimed} })
	_, token := g.Issuer.User("user@example.com")
	bearer, challenge := apitest.Bearer(token), `","code_challenge":"`+apitest.Challenge+`","code_challenge_method":"S256"}`
	g.Post(apitest.HandOffPath, `{"callback":"`+claimed+challenge, bearer).Is(http.StatusOK)
	g.Post(apitest.HandOffPath, `{"callback":"`+claimed+`"}`, bearer).Is(http.StatusBadRequest)
	g.Post(apitest.HandOffPath, `{"callback":"`+claimed+`/`+challenge, bearer).Is(http.StatusBadRequest)
	target := "/auth/callback?callback=" + url.QueryEscape(claimed) + "&code_challenge=" + apitest.Challenge + "&code_challenge_method=S256"
	g.Post("/api/auth/signin/google", `{"return_to":"`+target+`"}`, apitest.FromOurPage).Is(http.StatusOK)
	g.Post("/api/auth/signin/google", `{"return_to":"`+strings.Replace(target, "app.", "evil.", 1)+`"}`, apitest.FromOurPage).Is(http.StatusBadRequest)
}
