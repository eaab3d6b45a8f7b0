package api_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

const (
	handOffPath = "/api/auth/hand-off"
	withPKCE    = `,"code_challenge":"` + challenge + `","code_challenge_method":"S256"`
)

func TestHandOffWithAChallenge(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	for _, link := range []string{"fledge://auth/callback", "http://127.0.0.1:49152/auth/callback", "http://[::1]:49152/auth/callback"} {
		a := g.post(handOffPath, `{"callback":"`+link+`"`+withPKCE+`}`, bearer(token)).is(http.StatusOK, `{"code":"code","expires_in":60}`)
		got, caller := g.identity.last()
		want := &identityv1.CreateHandOffCodeRequest{Callback: link, CodeChallenge: challenge}
		if !proto.Equal(got.(proto.Message), want) || caller.UserID != id {
			t.Errorf("identity was asked %v as %v, want %v", got, caller, want)
		}
		if a.header.Get("Cache-Control") != "no-store" {
			t.Error("the code may be kept")
		}
	}
}

func TestHandOffWithoutAChallenge(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	a := g.post(handOffPath, `{"callback":"fledge://auth/callback"}`, bearer(token), from("203.0.113.9"), header("User-Agent", "UA/1")).
		is(http.StatusOK, `{"session":`+sessionJSON+`}`)
	if a.header.Get("Cache-Control") != "no-store" {
		t.Error("the session may be kept")
	}
	got, caller := g.identity.last()
	want := &identityv1.CreateDeviceSessionRequest{Device: &identityv1.Device{UserAgent: "UA/1", IpAddress: "203.0.113.9"}}
	if !proto.Equal(got.(proto.Message), want) || caller.UserID != id {
		t.Errorf("identity was asked %v as %v, want %v", got, caller, want)
	}
	for _, f := range []*fault.Error{
		fault.New(fault.Forbidden, "token_hand_off_disabled", "This app needs an update to sign in."), fault.New(fault.Forbidden, "forbidden", "No."),
	} {
		g.identity.fail(f)
		g.post(handOffPath, `{"callback":"fledge://auth/callback"}`, bearer(token)).fails(http.StatusForbidden, f.Reason)
	}
}

// TestHandOffLeadsToTheAppAlone runs the corpus of links against the route.
func TestHandOffLeadsToTheAppAlone(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	raw, err := os.ReadFile("../returnto/testdata/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus struct {
		Callback struct{ AcceptedWithPkce, Refused []string }
	}
	if err := json.Unmarshal(raw, &corpus); err != nil || len(corpus.Callback.Refused) < 150 {
		t.Fatalf("%d links, %v", len(corpus.Callback.Refused), err)
	}
	for _, link := range append(corpus.Callback.Refused, corpus.Callback.AcceptedWithPkce...) {
		a := g.post(handOffPath, `{"callback":`+encode(t, link)+`}`, bearer(token)).is(http.StatusBadRequest)
		if link != "" && strings.Contains(string(a.body), link) && len(link) > 2 {
			t.Errorf("%q comes back: %s", link, a.body)
		}
	}
	for _, link := range corpus.Callback.Refused {
		g.post(handOffPath, `{"callback":`+encode(t, link)+withPKCE+`}`, bearer(token)).is(http.StatusBadRequest)
	}
	if g.identity.count() != 0 {
		t.Error("a refused request reached identity")
	}
}

func TestHandOffRefuses(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	const link = `{"callback":"fledge://auth/callback",`
	for body, code := range map[string]string{
		`{}`: "invalid_callback", `{"callback":null}`: "invalid_callback",
		link + `"code_challenge":"` + challenge + `"}`:                                                  "invalid_code_challenge_method",
		link + `"code_challenge_method":"S256"}`:                                                        "invalid_code_challenge_method",
		link + `"code_challenge":"` + challenge + `","code_challenge_method":"plain"}`:                  "invalid_code_challenge_method",
		link + `"code_challenge":"` + challenge + `","code_challenge_method":"s256"}`:                   "invalid_code_challenge_method",
		link + `"code_challenge":"` + challenge + `","code_challenge_method":""}`:                       "invalid_code_challenge_method",
		link + `"code_challenge":"","code_challenge_method":"S256"}`:                                    "invalid_code_challenge",
		link + `"code_challenge":"x","code_challenge_method":"S256"}`:                                   "invalid_code_challenge",
		link + `"code_challenge":"` + challenge + `=","code_challenge_method":"S256"}`:                  "invalid_code_challenge",
		link + `"code_challenge":"` + challenge[1:] + `+","code_challenge_method":"S256"}`:              "invalid_code_challenge",
		link + `"code_challenge":"` + challenge[1:] + `é","code_challenge_method":"S256"}`:              "invalid_code_challenge",
		link + `"code_challenge":"` + strings.Repeat("x", 10_000) + `","code_challenge_method":"S256"}`: "invalid_code_challenge",
		link + `"state":"x"}`:               "unknown_field",
		link + `"user_id":"` + anyID + `"}`: "unknown_field",
	} {
		g.post(handOffPath, body, bearer(token)).fails(http.StatusBadRequest, code)
	}
	if g.identity.count() != 0 {
		t.Error("a refused request reached identity")
	}
}
