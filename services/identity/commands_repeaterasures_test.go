package identity_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	"fledge.dev/services/platform/pgtest"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
)

// TestRepeatErasures: of all that have finished since, and of no other.
func TestRepeatErasures(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	env := environ(r.url, r.nats.URL(), r.kratos.server.URL)
	since := uuid.New()
	if _, err := r.db.Exec(t.Context(), `INSERT INTO erasures (user_id, emails, address_hashes, began_at, finished_at)
		VALUES ($1, '{}', '{}', '2026-11-20T12:00:00Z', '2026-11-20T20:15:00Z'),
			(gen_random_uuid(), '{}', '{}', '2026-11-20T12:00:00Z', '2026-11-20T20:14:59Z'),
			(gen_random_uuid(), '{}', '{}', '2026-11-20T12:00:00Z', NULL)`, since); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, env, "repeat-erasures", "2026-11-20T21:15:00+01:00"); err != nil || out != "accounts that the services are told of again: 1\n" {
		t.Fatalf("%q, %v", out, err)
	}
	payloads := pgtest.All[[]byte](t, r.db, "SELECT payload FROM outbox WHERE type = 'fledge.identity.v1.user.deleted'")
	var told []string
	for _, payload := range payloads {
		deleted := &eventsv1.UserDeleted{}
		if err := proto.Unmarshal(payload, deleted); err != nil || len(deleted.GetEmails()) > 0 {
			t.Errorf("%v, %v", deleted, err)
		}
		told = append(told, deleted.GetUserId())
	}
	if !slices.Equal(told, []string{since.String()}) {
		t.Errorf("told of %q, want %s", told, since)
	}
	for _, args := range [][]string{nil, {"yesterday"}, {"2026-11-20T20:15:00Z", "x"}} {
		if _, err := command(t, env, "repeat-erasures", args...); err == nil {
			t.Errorf("%q are taken", args)
		}
	}
}
