package identity_test

import (
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
)

// TestAReplicaWithAWrongClockKeepsTheProductsTime in tokens, sessions, codes and keys.
func TestAReplicaWithAWrongClockKeepsTheProductsTime(t *testing.T) {
	for name, off := range map[string]time.Duration{"behind": -24 * time.Hour, "ahead": 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRigOn(t, clock.Off(off))
			browser := r.session(r.kratos.signIn("ann@example.com", true))
			mac := r.mac(browser)
			var claims authn.Claims
			if _, _, err := jwt.NewParser().ParseUnverified(mac.GetAccessToken(), &claims); err != nil {
				t.Fatal(err)
			}
			if age := time.Since(claims.IssuedAt.Time); age.Abs() > time.Minute {
				t.Errorf("the token was issued %s ago", age)
			}
			if _, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: mac.GetRefreshToken()}); err != nil {
				t.Error(err)
			}
			for table, column := range map[string]string{
				"keys": "created_at", "session_families": "created_at", "hand_off_codes": "created_at",
			} {
				query := "SELECT count(*) FROM " + table + " WHERE " + column + " NOT BETWEEN now() - interval '1 minute' AND now() + interval '1 minute'"
				if n := r.count(query); n != 0 {
					t.Errorf("%d rows of %s have another time", n, table)
				}
			}
			if _, err := commandOn(t, clock.Off(off), r.operation(browser).env, "delete-account", "ann@example.com"); err != nil {
				t.Error(err)
			}
			const inTime = "signed_out_at > now() - interval '1 minute' AND erase_at - interval '168h' BETWEEN now() - interval '1 minute' AND now() + interval '1 minute'"
			if n := r.count("SELECT count(*) FROM users WHERE email = 'ann@example.com' AND " + inTime); n != 1 {
				t.Error("an operator's command has another time")
			}
		})
	}
}
