package api_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/api"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/staff"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pgtest"
)

// TestEveryChangeByAnAdminIsRecorded has a row for each method of theirs.
func TestEveryChangeByAnAdminIsRecorded(t *testing.T) {
	pool := pgtest.Pool(t, "identity_store", store.Migrate)
	st := store.New(pool, account.Admins{}, 30*time.Second)
	metrics, err := session.NewMetrics(prometheus.NewRegistry())
	errtest.None(t, err)
	st = st.WithEmails(noEmails{}, "https://fledge.example")
	onAccounts := staff.New(st, noKratos{}, time.Hour, clock.System(), slog.New(slog.DiscardHandler), metrics)
	server := api.NewServer(api.Parts{Store: st, Staff: onAccounts, Clock: clock.System(), Log: slog.New(slog.DiscardHandler)})
	ann := account.SignIn{UserID: uuid.New(), Email: "ann@example.com", Provider: "google", ConfirmedAt: time.Now(), At: time.Now()}
	bob, joe := uuid.New(), uuid.New()
	for id, email := range map[uuid.UUID]string{ann.UserID: ann.Email, bob: "bob@example.com", joe: "joe@example.com"} {
		in := ann
		in.UserID, in.Email = id, email
		if _, err := st.RecordSignIn(t.Context(), in, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	audittest.Methods(t, api.Policy(), pool, map[string]audittest.Call{
		"SetUserRoles": {Action: store.RolesChanged, Do: func(ctx context.Context) error {
			_, err := server.SetUserRoles(ctx, &identityv1.SetUserRolesRequest{UserId: ann.UserID.String(), Roles: []identityv1.Role{identityv1.Role_ROLE_MODERATOR}, Reason: "because"})
			return err
		}},
		"SetUserState": {Action: store.UserDisabled, Do: func(ctx context.Context) error {
			_, err := server.SetUserState(ctx, &identityv1.SetUserStateRequest{UserId: bob.String(), State: identityv1.UserState_USER_STATE_DISABLED, Reason: "because"})
			return err
		}},
		"SignOutUser": {Action: store.UserSignedOut, Do: func(ctx context.Context) error {
			_, err := server.SignOutUser(ctx, &identityv1.SignOutUserRequest{UserId: ann.UserID.String(), Reason: "because"})
			return err
		}},
		"RevokeUserDevice": {Action: store.DeviceRevoked, Do: func(ctx context.Context) error {
			device := open(ctx, t, pool, ann.UserID)
			_, err := server.RevokeUserDevice(ctx, &identityv1.RevokeUserDeviceRequest{UserId: ann.UserID.String(), DeviceId: device.String(), Reason: "because"})
			return err
		}},
		"DeleteUser": {Action: store.DeletionBegun, Do: func(ctx context.Context) error {
			_, err := server.DeleteUser(ctx, &identityv1.DeleteUserRequest{UserId: joe.String(), Reason: "because"})
			return err
		}},
		"ResetSecondFactor": {Action: store.SecondFactorReset, Do: func(ctx context.Context) error {
			_, err := server.ResetSecondFactor(ctx, &identityv1.ResetSecondFactorRequest{UserId: ann.UserID.String(), Reason: "because"})
			return err
		}},
		"GetPerson": audittest.Reads, "ListUserDevices": audittest.Reads, "ListUsers": audittest.Reads, "ListUserStates": audittest.Reads, "ListAuditEntries": audittest.Reads,
	})
	records := audittest.Actions(t, pool)
	record := records[slices.IndexFunc(records, func(a *auditv1.StaffAction) bool { return a.GetAction() == string(store.RolesChanged) })]
	if record.GetReason() != "because" || record.GetSubject() != ann.UserID.String() || record.GetSubjectLabel() != ann.Email || record.GetBefore() != `{"roles":["user"]}` || record.GetAfter() != `{"roles":["moderator","user"]}` {
		t.Errorf("recorded %v", record)
	}
}

// open signs an account in on a Mac.
func open(ctx context.Context, t *testing.T, pool *pgxpool.Pool, user uuid.UUID) (family uuid.UUID) {
	t.Helper()
	err := pool.QueryRow(ctx, `INSERT INTO session_families (id, user_id, generation, leaf_hash, rotated_at, created_at, expires_at, user_agent, ip_address)
		VALUES (gen_random_uuid(), $1, 0, sha256(''), now(), now(), now() + interval '1 day', '', '') RETURNING id`, user).Scan(&family)
	errtest.None(t, err)
	return family
}

type noKratos struct{ staff.Kratos }

func (noKratos) SetActive(context.Context, uuid.UUID, bool) error { return nil }
func (noKratos) EndSessions(context.Context, uuid.UUID) error     { return nil }
func (noKratos) SecondFactor(context.Context, uuid.UUID) (app, codes bool, err error) {
	return true, true, nil
}

func (noKratos) RemoveSecondFactor(context.Context, uuid.UUID) error { return nil }

type noEmails struct{ store.Emails }

func (noEmails) Enqueue(context.Context, pgx.Tx, mail.Email) error { return nil }
