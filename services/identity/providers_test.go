package identity_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// TestOwnersAreToldOfProviders that are added and removed. The stand-in's people all have
// Google and Apple.
func TestOwnersAreToldOfProviders(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte("ann@example.com"))
	identity := fmt.Sprintf(`{"id":%q,"traits":{"email":"ann@example.com"},"verifiable_addresses":[{"value":"ann@example.com","verified":true}]}`, id)
	if status, body := r.hook("/hooks/kratos/signed-in", hookKey, `{"provider":"google","identity":`+identity+`}`); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, body)
	}
	subjects := func(want ...string) {
		t.Helper()
		rows, err := r.db.Query(t.Context(), "SELECT args->'message'->>'Subject' FROM mail.river_job WHERE args->>'key' LIKE 'provider-%' AND args->'message'->>'To' = 'ann@example.com' ORDER BY id")
		errtest.None(t, err)
		defer rows.Close()
		var got []string
		for rows.Next() {
			var s string
			errtest.None(t, rows.Scan(&s))
			got = append(got, s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("told of %q, want %q", got, want)
		}
	}
	subjects()
	for range 2 {
		if status, body := r.hook("/hooks/kratos/linked", hookKey, `{"identity":`+identity+`}`); status != http.StatusNoContent {
			t.Fatalf("%d %s", status, body)
		}
	}
	subjects("Apple was added to your Fledge account")

	stale := r.session(r.kratos.signInAt("ann@example.com", time.Now().Add(-16*time.Minute)))
	if _, err := r.UnlinkProvider(r.as(stale), &identityv1.UnlinkProviderRequest{Provider: "google"}); fault.Of(err).Reason != "fresh_sign_in_required" {
		t.Errorf("long after the sign-in: %v", err)
	}
	ann := r.session(r.kratos.signIn("ann@example.com", true))
	for provider, reason := range map[string]string{"github": "unknown_provider", "": "unknown_provider", "Google": "unknown_provider"} {
		if _, err := r.UnlinkProvider(r.as(ann), &identityv1.UnlinkProviderRequest{Provider: provider}); fault.Of(err).Reason != reason {
			t.Errorf("%q: %v", provider, err)
		}
	}
	r.kratos.status.Store(http.StatusServiceUnavailable)
	if _, err := r.UnlinkProvider(r.as(ann), &identityv1.UnlinkProviderRequest{Provider: "google"}); fault.Of(err).Kind != fault.Unavailable {
		t.Errorf("while Kratos is away: %v", err)
	}
	r.kratos.status.Store(0)
	resp, err := r.UnlinkProvider(r.as(ann), &identityv1.UnlinkProviderRequest{Provider: "google"})
	if err != nil || !slices.Equal(resp.GetUser().GetIdentities(), []string{"apple"}) || resp.GetUser().GetProvider() != "apple" {
		t.Fatalf("%v, %v", resp, err)
	}
	subjects("Apple was added to your Fledge account", "Google was removed from your Fledge account")
}
