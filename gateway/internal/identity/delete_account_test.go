package identity_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

const deletePath = "/api/auth/delete-account"

func TestDeleteAccount(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Identity.EraseAt = timestamppb.New(time.Date(2026, 12, 3, 4, 5, 6, 0, time.UTC))
	for name, a := range map[string]apitest.Answer{
		"an empty object": g.Post(deletePath, `{}`, apitest.Bearer(token), apitest.Cookie("fledge_session=s1; fledge_hint=U")),
		"no body":         g.Do(http.MethodPost, deletePath, apitest.Bearer(token)),
	} {
		a.Is(http.StatusAccepted, `{"eraseAt":"2026-12-03T04:05:06Z"}`)
		forgetsTheCookies(a)
		if a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the answer may be kept", name)
		}
	}
	got, caller := g.Identity.Last()
	if _, ok := got.(*identityv1.DeleteAccountRequest); !ok || caller.UserID != id || g.Identity.Count() != 2 {
		t.Errorf("identity was asked %v as %v, %d calls", got, caller, g.Identity.Count())
	}
}

// TestDeleteAccountRefused: what identity refuses has its code, and the browser stays signed in.
func TestDeleteAccountRefused(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Get("/api/auth/user", apitest.Bearer(token)).Is(http.StatusOK) // the keys are known from here on
	for _, f := range []*fault.Error{
		fault.New(fault.Forbidden, "fresh_sign_in_required", "Please sign in again first."),
		fault.New(fault.Conflict, "last_admin", "There must be at least one admin."),
		fault.New(fault.Unavailable, "kratos_unavailable", "Later."),
	} {
		g.Identity.Fail(f)
		a := g.Post(deletePath, `{}`, apitest.Bearer(token), apitest.Cookie("fledge_session=s1")).Fails(f.Kind.HTTPStatus(), f.Reason)
		if a.Header.Get("Set-Cookie") != "" || !strings.Contains(string(a.Body), f.Message) {
			t.Errorf("%s: %s, cookies %q", f.Reason, a.Body, a.Header.Values("Set-Cookie"))
		}
	}
	g.Identity.Fail(nil)
	before := g.Identity.Count()
	for body, code := range map[string]string{
		`{"user_id":"` + apitest.AnyID + `"}`: "unknown_field", `{"force":true}`: "unknown_field", `null`: "invalid_json", `[]`: "invalid_json", ` `: "invalid_json",
	} {
		g.Post(deletePath, body, apitest.Bearer(token)).Fails(http.StatusBadRequest, code)
	}
	g.Post(deletePath, `{}`, apitest.Bearer(token), apitest.Header("Content-Type", "text/plain")).Fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	g.Post(deletePath+"?user_id="+apitest.AnyID, `{}`, apitest.Bearer(token)).Fails(http.StatusBadRequest, "unknown_parameter")
	if g.Identity.Count() != before {
		t.Error("a refused request reached identity")
	}
}
