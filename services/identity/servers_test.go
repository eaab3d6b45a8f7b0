package identity_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/service"
)

// client makes a client as an operator does, and returns its secret and the setting.
func client(t *testing.T, id string) (secret, setting string) {
	t.Helper()
	for _, c := range identity.Commands() {
		if c.Name != "oauth-client" {
			continue
		}
		var out bytes.Buffer
		errtest.None(t, c.Run(t.Context(), service.Call{Args: []string{id}, Out: &out}))
		for line := range strings.Lines(out.String()) {
			switch words := strings.Fields(line); words[0] {
			case "client_secret":
				secret = words[1]
			case "OAUTH_CLIENTS":
				setting = words[1]
			}
		}
	}
	return secret, setting
}

// TestAServerGetsATokenThatIsNoPersons by its secret.
func TestAServerGetsATokenThatIsNoPersons(t *testing.T) {
	secret, setting := client(t, "builder")
	r := newRig(t, "OAUTH_CLIENTS="+setting)
	resp, err := r.CreateServerToken(t.Context(), &identityv1.CreateServerTokenRequest{ClientId: "builder", ClientSecret: secret, Scope: "credits:spend"})
	if err != nil || resp.GetScope() != "credits:spend" || resp.GetExpiresIn() != 600 {
		t.Fatalf("%v, %v", resp, err)
	}
	keys := authn.NewKeys(func(ctx context.Context) ([]byte, error) {
		set, err := r.GetJWKS(ctx, &identityv1.GetJWKSRequest{})
		return set.GetJwks(), err
	}, clock.System())
	p, err := authn.NewVerifier(origin, keys, clock.System()).Verify(t.Context(), resp.GetAccessToken())
	if err != nil || p.Server != "builder" || p.UserID != "" || p.Email != "" || p.SessionID != "" {
		t.Errorf("it speaks for %+v, %v", p, err)
	}
	as := authn.WithPrincipal(t.Context(), authn.Principal{Bearer: resp.GetAccessToken()})
	if _, err := r.GetUser(as, &identityv1.GetUserRequest{}); !errors.Is(err, fault.Forbidden) {
		t.Errorf("as a person: %v", err)
	}
	if _, err := r.SignOut(as, &identityv1.SignOutRequest{}); !errors.Is(err, fault.Forbidden) {
		t.Errorf("signing out: %v", err)
	}
	for _, wrong := range []*identityv1.CreateServerTokenRequest{
		{ClientId: "builder", ClientSecret: secret + "A"}, {ClientId: "builder"}, {ClientId: "another", ClientSecret: secret}, {},
	} {
		if _, err := r.CreateServerToken(t.Context(), wrong); fault.Of(err).Reason != "invalid_client" {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	if _, err := r.CreateServerToken(t.Context(), &identityv1.CreateServerTokenRequest{ClientId: "builder", ClientSecret: secret, Scope: "admin"}); fault.Of(err).Reason != "invalid_scope" {
		t.Errorf("another scope: %v", err)
	}
	if strings.Contains(r.log.String(), secret) {
		t.Error("the log has the secret")
	}
}
