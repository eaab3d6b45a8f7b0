package api_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/api"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pgtest"
)

// TestEveryChangeByAnAdminIsRecorded has a row for each method of theirs.
func TestEveryChangeByAnAdminIsRecorded(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "identity_store", store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	st := store.New(pool, account.Admins{}, 30*time.Second)
	server := api.NewServer(api.Parts{Users: st, AuditLog: st, Clock: clock.System(), Log: slog.New(slog.DiscardHandler)})
	ann := account.SignIn{UserID: uuid.New(), Email: "ann@example.com", Provider: "google", ConfirmedAt: time.Now(), At: time.Now()}
	if _, err := st.RecordSignIn(t.Context(), ann, time.Now()); err != nil {
		t.Fatal(err)
	}
	audittest.Methods(t, api.Policy(), pool, map[string]audittest.Call{
		"SetUserRoles": {Action: store.RolesChanged, Do: func(ctx context.Context) error {
			_, err := server.SetUserRoles(ctx, &identityv1.SetUserRolesRequest{UserId: ann.UserID.String(), Roles: []identityv1.Role{identityv1.Role_ROLE_MODERATOR}})
			return err
		}},
		"ListUsers": audittest.Reads, "ListAuditEntries": audittest.Reads,
	})
	record := audittest.Actions(t, pool)[0]
	if record.GetSubject() != ann.UserID.String() || record.GetSubjectLabel() != ann.Email || record.GetBefore() != `{"roles":["user"]}` || record.GetAfter() != `{"roles":["moderator","user"]}` {
		t.Errorf("recorded %v", record)
	}
}
