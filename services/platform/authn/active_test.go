package authn_test

import (
	"errors"
	"testing"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
)

func TestActiveMethodsAskIdentityButNeedNoRole(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, user := issuer.User("user@example.com")
	disabledID, disabled := issuer.User("disabled@example.com")
	issuer.Disable(disabledID)
	goneID, gone := issuer.User("gone@example.com")
	issuer.SignOut(goneID)
	policy := authn.Policy{"/active": authn.Active}
	guard := authn.NewGuard(policy, issuer.Verifier(), issuer, config.Secret("s3cret"))

	for name, tc := range map[string]struct {
		authorization, internal []string
		want                    fault.Kind
	}{
		"user":       {[]string{"Bearer " + user}, nil, ""},
		"anonymous":  {nil, nil, fault.Unauthenticated},
		"service":    {nil, []string{"s3cret"}, fault.Unauthenticated},
		"disabled":   {[]string{"Bearer " + disabled}, nil, fault.Forbidden},
		"signed out": {[]string{"Bearer " + gone}, nil, fault.Unauthenticated},
	} {
		_, err := guard.Admit(t.Context(), "/active", tc.authorization, tc.internal)
		if tc.want == "" && err != nil || tc.want != "" && !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}

	blind := authn.NewGuard(policy, issuer.Verifier(), brokenChecker{}, "")
	if _, err := blind.Admit(t.Context(), "/active", []string{"Bearer " + user}, nil); !errors.Is(err, fault.Unavailable) {
		t.Errorf("with identity down: got %v", err)
	}
}
