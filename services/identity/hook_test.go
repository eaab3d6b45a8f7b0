package identity_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

const (
	guardPath    = "/hooks/kratos/guard"
	signedInPath = "/hooks/kratos/signed-in"
)

// report is a hook's body as kratosconfig/files/hook.jsonnet makes it.
func report(id, email, addresses string) string {
	return fmt.Sprintf(`{"flow_id":"f","provider":"google","identity":{"id":%q,"traits":{"email":%q},"verifiable_addresses":%s},"authenticated_at":null}`, id, email, addresses)
}

func TestGuardLetsOnlyVerifiedAddressesRegister(t *testing.T) {
	r := newRig(t)
	nobody := uuid.Nil.String()
	for name, tc := range map[string]struct {
		body string
		want int
	}{
		"verified":          {report(nobody, "ann@example.com", `[{"value":"ann@example.com","verified":true}]`), http.StatusNoContent},
		"unverified":        {report(nobody, "ann@example.com", `[{"value":"ann@example.com","verified":false}]`), http.StatusForbidden},
		"no address":        {report(nobody, "ann@example.com", `[]`), http.StatusForbidden},
		"one of two":        {report(nobody, "ann@example.com", `[{"value":"ann@example.com","verified":true},{"value":"victim@example.com","verified":false}]`), http.StatusForbidden},
		"two verified":      {report(nobody, "ann@example.com", `[{"value":"ann@example.com","verified":true},{"value":"b@example.com","verified":true}]`), http.StatusForbidden},
		"other than trait":  {report(nobody, "victim@example.com", `[{"value":"ann@example.com","verified":true}]`), http.StatusForbidden},
		"the Kelvin sign":   {report(nobody, "\u212aate@example.com", `[{"value":"kate@example.com","verified":true}]`), http.StatusForbidden},
		"not ASCII":         {report(nobody, "k\u00e4te@example.com", "[{\"value\":\"k\u00e4te@example.com\",\"verified\":true}]"), http.StatusForbidden},
		"another case":      {report(nobody, "Ann@example.com", `[{"value":"ann@example.com","verified":true}]`), http.StatusNoContent},
		"empty verified":    {report(nobody, "", `[{"value":"","verified":true}]`), http.StatusForbidden},
		"not JSON":          {`{`, http.StatusBadRequest},
		"more than we read": {`{"flow_id":"` + strings.Repeat("a", 70<<10) + `"}`, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := r.hook(guardPath, hookKey, tc.body)
			if status != tc.want {
				t.Fatalf("answered %d %s", status, body)
			}
			if status == http.StatusForbidden && !strings.Contains(body, `"instance_ptr":"#/traits/email"`) {
				t.Errorf("Kratos cannot show %s", body)
			}
		})
	}
}

func TestHooksNeedTheKey(t *testing.T) {
	r := newRig(t)
	body := report(uuid.NewString(), "ann@example.com", `[{"value":"ann@example.com","verified":true}]`)
	for _, key := range []string{"", "x", hookKey + "0", hookKey[1:]} {
		for _, path := range []string{guardPath, signedInPath, "/elsewhere"} {
			if status, _ := r.hook(path, key, body); status != http.StatusUnauthorized {
				t.Errorf("%s with %q: %d", path, key, status)
			}
		}
	}
}

func TestSignInReportMakesTheAccountKnown(t *testing.T) {
	r := newRig(t)
	id := uuid.NewString()
	body := report(id, "admin@fledge.test", `[{"value":"admin@fledge.test","verified":true}]`)
	for range 3 {
		if status, answer := r.hook(signedInPath, hookKey, body); status != http.StatusNoContent {
			t.Fatalf("answered %d %s", status, answer)
		}
	}
	access, err := r.CheckAccess(t.Context(), &identityv1.CheckAccessRequest{UserId: id, SessionId: uuid.NewString()})
	if err != nil || access.GetSignedIn() || !access.GetActive() || len(access.GetRoles()) != 2 {
		t.Errorf("access %v, %v", access, err)
	}
	for name, bad := range map[string]string{
		"unverified": report(uuid.NewString(), "victim@example.com", `[{"value":"victim@example.com","verified":false}]`),
		"folded":     report(uuid.NewString(), "\u212aate@example.com", `[{"value":"kate@example.com","verified":true}]`),
		"no id":      report("", "ann@example.com", `[{"value":"ann@example.com","verified":true}]`),
		"nil id":     report(uuid.Nil.String(), "ann@example.com", `[{"value":"ann@example.com","verified":true}]`),
	} {
		if status, _ := r.hook(signedInPath, hookKey, bad); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", name, status)
		}
	}
}
