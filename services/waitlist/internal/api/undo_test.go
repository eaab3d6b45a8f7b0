package api_test

import (
	"log/slog"
	"testing"

	"google.golang.org/protobuf/proto"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
)

// TestAnApprovalTellsUntilWhenItCanBeUndone, as the list does; one that is undone does not.
func TestAnApprovalTellsUntilWhenItCanBeUndone(t *testing.T) {
	server, _ := serverOn(t, slog.New(slog.DiscardHandler))
	ctx := audittest.As(t.Context())
	added, err := server.AddUser(ctx, &waitlistv1.AddUserRequest{Email: "ada@example.com"})
	errtest.None(t, err)
	id := added.GetUser().GetId()
	approved, err := server.ApproveUser(ctx, &waitlistv1.ApproveUserRequest{Id: id})
	if err != nil || !approved.GetUser().GetUndoUntil().IsValid() {
		t.Fatalf("approved: %v, %v", approved, err)
	}
	again, err := server.BulkApproveUsers(ctx, &waitlistv1.BulkApproveUsersRequest{Ids: []string{id}})
	if err != nil || !proto.Equal(again.GetResults()[0].GetUndoUntil(), approved.GetUser().GetUndoUntil()) {
		t.Errorf("approved again: %v, %v; the first time %v", again, err, approved)
	}
	list, err := server.ListUsers(ctx, &waitlistv1.ListUsersRequest{})
	if err != nil || !proto.Equal(list.GetUsers()[0], approved.GetUser()) {
		t.Errorf("the list has %v, %v; the approval %v", list, err, approved)
	}
	undone, err := server.UndoApproval(ctx, &waitlistv1.UndoApprovalRequest{Id: id})
	if err != nil || undone.GetUser().GetUndoUntil() != nil || !proto.Equal(undone.GetUser(), added.GetUser()) {
		t.Errorf("undone: %v, %v; before it was %v", undone, err, added)
	}
}
