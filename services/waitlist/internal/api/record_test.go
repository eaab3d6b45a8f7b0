package api_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/uuid"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/api"
	"fledge.dev/services/waitlist/internal/store"
)

// TestEveryChangeByAnAdminIsRecorded has a row for each method of theirs.
func TestEveryChangeByAnAdminIsRecorded(t *testing.T) {
	server, pool := serverOn(t, slog.New(slog.DiscardHandler))
	added := func(email string) string {
		t.Helper()
		resp, err := server.AddUser(audittest.As(t.Context()), &waitlistv1.AddUserRequest{Email: email})
		errtest.None(t, err)
		return resp.GetUser().GetId()
	}
	one, other, third, fourth, fifth := added("one@example.com"), added("other@example.com"), added("third@example.com"), added("fourth@example.com"), added("fifth@example.com")
	added("of.the.waves@example.com")
	for _, id := range []string{fourth, fifth} {
		if _, err := server.ApproveUser(audittest.As(t.Context()), &waitlistv1.ApproveUserRequest{Id: id}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pool.Exec(t.Context(), "UPDATE waitlist_users SET invited_at = invited_at - interval '1 hour', updated_at = updated_at - interval '1 hour' WHERE id = $1", fourth); err != nil { // else it is not sent again yet
		t.Fatal(err)
	}
	wave := uuid.NewString()
	if _, err := server.StartWave(audittest.As(t.Context()), &waitlistv1.StartWaveRequest{Id: wave}); err != nil {
		t.Fatal(err)
	}
	audittest.Methods(t, api.Policy(), pool, map[string]audittest.Call{
		"AddUser": {Action: store.Added, Do: func(ctx context.Context) error {
			_, err := server.AddUser(ctx, &waitlistv1.AddUserRequest{Email: "new@example.com"})
			return err
		}},
		"ApproveUser": {Action: store.Approved, Do: func(ctx context.Context) error {
			_, err := server.ApproveUser(ctx, &waitlistv1.ApproveUserRequest{Id: one})
			return err
		}},
		"RemoveUser": {Action: store.Removed, Do: func(ctx context.Context) error {
			_, err := server.RemoveUser(ctx, &waitlistv1.RemoveUserRequest{Id: other})
			return err
		}},
		"BulkApproveUsers": {Action: store.Approved, Do: func(ctx context.Context) error {
			_, err := server.BulkApproveUsers(ctx, &waitlistv1.BulkApproveUsersRequest{Ids: []string{third}})
			return err
		}},
		"ImportUsers": {Action: store.Imported, Do: func(ctx context.Context) error {
			_, err := server.ImportUsers(ctx, &waitlistv1.ImportUsersRequest{ImportId: one, Lines: []*waitlistv1.ImportLine{{Line: 2, Email: "imported@example.com"}}})
			return err
		}},
		"ResendApproval": {Action: store.Resent, Do: func(ctx context.Context) error {
			_, err := server.ResendApproval(ctx, &waitlistv1.ResendApprovalRequest{Id: fourth})
			return err
		}},
		"UndoApproval": {Action: store.Undone, Do: func(ctx context.Context) error {
			_, err := server.UndoApproval(ctx, &waitlistv1.UndoApprovalRequest{Id: fifth})
			return err
		}},
		"StartWave": {Action: store.WaveStarted, Do: func(ctx context.Context) error {
			_, err := server.StartWave(ctx, &waitlistv1.StartWaveRequest{Id: one})
			return err
		}},
		"ChangeWave": {Action: store.WavePaused, Do: func(ctx context.Context) error {
			_, err := server.ChangeWave(ctx, &waitlistv1.ChangeWaveRequest{Id: wave, Action: waitlistv1.ChangeWaveRequest_ACTION_PAUSE})
			return err
		}},
		"ListWaves": audittest.Reads,
		"ListUsers": audittest.Reads, "ListUnconfirmed": audittest.Reads, "ExportUsers": audittest.Reads, "GetStats": audittest.Reads,
	})
}
