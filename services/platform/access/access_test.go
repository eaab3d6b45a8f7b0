package access_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/access"
)

// answering is a connection whose every CheckAccess gets the same answer.
type answering struct {
	grpc.ClientConnInterface
	calls int
	resp  *identityv1.CheckAccessResponse
	err   error
}

func (a *answering) Invoke(_ context.Context, _ string, _, reply any, _ ...grpc.CallOption) error {
	a.calls++
	if a.err != nil {
		return a.err
	}
	out := reply.(*identityv1.CheckAccessResponse)
	out.Active, out.Roles = a.resp.GetActive(), a.resp.GetRoles()
	return nil
}

func TestAnswersAreRememberedUntilForgotten(t *testing.T) {
	conn := &answering{resp: &identityv1.CheckAccessResponse{Active: true, Roles: []identityv1.Role{identityv1.Role_ROLE_ADMIN}}}
	identity := access.New(conn)
	for range 3 {
		if active, admin, err := identity.CheckAccess(t.Context(), "u"); !active || !admin || err != nil {
			t.Fatalf("got %t %t %v", active, admin, err)
		}
	}
	if conn.calls != 1 {
		t.Fatalf("%d calls", conn.calls)
	}
	conn.resp = &identityv1.CheckAccessResponse{Active: true}
	identity.Forget("u")
	if _, admin, _ := identity.CheckAccess(t.Context(), "u"); admin {
		t.Fatal("a lost role must show at once after Forget")
	}
}

func TestFailuresAreNotRemembered(t *testing.T) {
	conn := &answering{err: errors.New("down")}
	identity := access.New(conn)
	if _, _, err := identity.CheckAccess(t.Context(), "u"); err == nil {
		t.Fatal("want the error")
	}
	conn.err, conn.resp = nil, &identityv1.CheckAccessResponse{Active: true}
	if active, _, err := identity.CheckAccess(t.Context(), "u"); !active || err != nil {
		t.Fatalf("got %t %v", active, err)
	}
}
