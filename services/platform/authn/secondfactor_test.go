package authn_test

import (
	"errors"
	"testing"
	"time"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
)

// TestTheSecondFactorIsAskedForLast: a new sign-in has to verify it anew.
func TestTheSecondFactorIsAskedForLast(t *testing.T) {
	issuer := authntest.New(t, nil)
	id, admin := issuer.Admin("admin@example.com")
	issuer.RequireSecondFactor(id)
	guard := authn.NewGuard(authn.Policy{"/active": authn.Active, "/staff": authn.Staff, "/fresh": authn.FreshAdmin}, issuer.Verifier(), issuer, "")
	for _, tc := range []struct {
		age    time.Duration
		method string
		want   error
	}{
		{0, "/active", nil},
		{0, "/staff", authn.ErrSecondFactor},
		{0, "/fresh", authn.ErrSecondFactor},
		{authn.FreshFor + time.Minute, "/staff", authn.ErrSecondFactor},
		{authn.FreshFor + time.Minute, "/fresh", authn.ErrNotFresh},
		{authn.StaffFor + time.Minute, "/staff", authn.ErrStaffSignIn},
	} {
		issuer.SignedInAgo(id, tc.age)
		if _, err := guard.Admit(t.Context(), tc.method, []string{"Bearer " + admin}, nil); !errors.Is(err, tc.want) {
			t.Errorf("%s, %s after the sign-in: %v, want %v", tc.method, tc.age, err, tc.want)
		}
	}
}
