package identityclient_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/identityclient"
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
	proto.Merge(out, a.resp)
	return nil
}

var ann = authn.Principal{UserID: "u", SessionID: "s"}

func TestAnswersAreRememberedUntilForgotten(t *testing.T) {
	conn := &answering{resp: &identityv1.CheckAccessResponse{SignedIn: true, Active: true, Roles: []identityv1.Role{identityv1.Role_ROLE_ADMIN}}}
	identity := identityclient.New(conn)
	for range 3 {
		if rights, err := identity.CheckAccess(t.Context(), ann); rights != (authn.Rights{SignedIn: true, Active: true, Admin: true}) || err != nil {
			t.Fatalf("got %+v %v", rights, err)
		}
	}
	if conn.calls != 1 {
		t.Fatalf("%d calls", conn.calls)
	}
	other := ann
	other.SessionID = "t"
	if _, err := identity.CheckAccess(t.Context(), other); err != nil || conn.calls != 2 {
		t.Fatalf("another session is another question: %d calls, %v", conn.calls, err)
	}
	conn.resp = &identityv1.CheckAccessResponse{Active: true}
	identity.Forget("u")
	if rights, _ := identity.CheckAccess(t.Context(), ann); rights.Admin {
		t.Fatal("a lost role must show at once after Forget")
	}
}

// TestAMissingSecondFactorIsNotRemembered: the next call may come with it, in the same session.
func TestAMissingSecondFactorIsNotRemembered(t *testing.T) {
	conn := &answering{resp: &identityv1.CheckAccessResponse{SignedIn: true, Active: true, SecondFactorMissing: true}}
	identity := identityclient.New(conn)
	if rights, err := identity.CheckAccess(t.Context(), ann); !rights.SecondFactorMissing || err != nil {
		t.Fatalf("got %+v, %v", rights, err)
	}
	conn.resp = &identityv1.CheckAccessResponse{SignedIn: true, Active: true}
	if rights, err := identity.CheckAccess(t.Context(), ann); rights.SecondFactorMissing || err != nil {
		t.Fatalf("got %+v, %v", rights, err)
	}
}

// TestARightIsNotInferred: an answer without one, as an older identity gives, refuses.
func TestARightIsNotInferred(t *testing.T) {
	admin := []identityv1.Role{identityv1.Role_ROLE_ADMIN}
	for _, tc := range []struct {
		resp *identityv1.CheckAccessResponse
		want authn.Rights
	}{
		{&identityv1.CheckAccessResponse{SignedIn: true, Active: true, Roles: admin}, authn.Rights{SignedIn: true, Active: true, Admin: true}},
		{&identityv1.CheckAccessResponse{SignedIn: true, StaffSession: true}, authn.Rights{SignedIn: true, StaffSession: true}},
		{&identityv1.CheckAccessResponse{SignedIn: true, Fresh: true}, authn.Rights{SignedIn: true, Fresh: true}},
	} {
		if rights, err := identityclient.New(&answering{resp: tc.resp}).CheckAccess(t.Context(), ann); rights != tc.want || err != nil {
			t.Errorf("%v: got %+v, %v", tc.resp, rights, err)
		}
	}
}

func TestFailuresAreNotRemembered(t *testing.T) {
	conn := &answering{err: errors.New("down")}
	identity := identityclient.New(conn)
	if _, err := identity.CheckAccess(t.Context(), ann); err == nil {
		t.Fatal("want the error")
	}
	conn.err, conn.resp = nil, &identityv1.CheckAccessResponse{Active: true}
	if rights, err := identity.CheckAccess(t.Context(), ann); !rights.Active || err != nil {
		t.Fatalf("got %+v %v", rights, err)
	}
}

// directory is a connection to an identity that knows accounts by what they may do. Each has an address,
// its id's; nobody is signed in.
type directory struct {
	grpc.ClientConnInterface
	accounts map[uuid.UUID]*identityv1.CheckAccessResponse
	err      error
}

func (d *directory) Invoke(_ context.Context, method string, args, reply any, _ ...grpc.CallOption) error {
	switch method {
	case identityv1.IdentityService_ListAddresses_FullMethodName:
		for _, id := range args.(*identityv1.ListAddressesRequest).GetUserIds() {
			resp := reply.(*identityv1.ListAddressesResponse)
			resp.Addresses = append(resp.Addresses, &identityv1.UserAddress{UserId: id, Email: id})
		}
		return nil
	case identityv1.IdentityService_CheckAccess_FullMethodName:
		req := args.(*identityv1.CheckAccessRequest)
		if _, err := uuid.Parse(req.GetSessionId()); err != nil {
			return err // as identity does
		}
		if known := d.accounts[uuid.MustParse(req.GetUserId())]; known != nil {
			proto.Merge(reply.(*identityv1.CheckAccessResponse), known)
		}
		return d.err
	}
	return errors.New(method)
}

// TestWhoIsStaffWithoutASession: an account that is active and has the role now.
func TestWhoIsStaffWithoutASession(t *testing.T) {
	admin, moderator, disabled, customer, unknown := uuid.New(), uuid.New(), uuid.New(), uuid.New(), uuid.New()
	conn := &directory{accounts: map[uuid.UUID]*identityv1.CheckAccessResponse{
		admin:     {Active: true, Roles: []identityv1.Role{identityv1.Role_ROLE_USER, identityv1.Role_ROLE_ADMIN}},
		moderator: {Active: true, Roles: []identityv1.Role{identityv1.Role_ROLE_MODERATOR}},
		disabled:  {Roles: []identityv1.Role{identityv1.Role_ROLE_ADMIN, identityv1.Role_ROLE_MODERATOR}},
		customer:  {Active: true, Roles: []identityv1.Role{identityv1.Role_ROLE_USER}},
	}}
	identity := identityclient.New(conn)
	all := []uuid.UUID{admin, moderator, disabled, customer, unknown}
	for _, id := range all {
		if yes, err := identity.IsAdmin(t.Context(), id); yes != (id == admin) || err != nil {
			t.Errorf("%v is an admin: %t, %v", conn.accounts[id], yes, err)
		}
		if yes, err := identity.IsStaff(t.Context(), id); yes != (id == admin || id == moderator) || err != nil {
			t.Errorf("%v is of the staff: %t, %v", conn.accounts[id], yes, err)
		}
	}
	conn.accounts[admin].Roles = nil // which nobody has told yet
	if yes, err := identity.IsStaff(t.Context(), admin); yes || err != nil {
		t.Errorf("what was so before is said: %t, %v", yes, err)
	}
	conn.accounts[admin].Roles = []identityv1.Role{identityv1.Role_ROLE_ADMIN}
	identity.Reset()
	staff, err := identity.StaffAddresses(t.Context(), all)
	if want := map[uuid.UUID]string{admin: admin.String(), moderator: moderator.String()}; err != nil || !maps.Equal(staff, want) {
		t.Errorf("of the staff are %v, %v, want %v", staff, err, want)
	}
}

// TestNobodyIsStaffWhileIdentityDoesNotAnswer.
func TestNobodyIsStaffWhileIdentityDoesNotAnswer(t *testing.T) {
	conn := &directory{err: errors.New("down")}
	identity := identityclient.New(conn)
	if yes, err := identity.IsAdmin(t.Context(), uuid.New()); yes || !errors.Is(err, conn.err) {
		t.Errorf("an admin: %t, %v", yes, err)
	}
	if staff, err := identity.StaffAddresses(t.Context(), []uuid.UUID{uuid.New()}); len(staff) != 0 || !errors.Is(err, conn.err) {
		t.Errorf("of the staff are %v, %v", staff, err)
	}
}

func TestConfigNamesWhatIsMissing(t *testing.T) {
	good := identityclient.Config{IdentityAddr: "127.0.0.1:1", SiteOrigin: "https://example.com"}
	errtest.None(t, good.Validate())
	for _, bad := range []identityclient.Config{
		{SiteOrigin: good.SiteOrigin}, {IdentityAddr: good.IdentityAddr}, {IdentityAddr: good.IdentityAddr, SiteOrigin: "https://u@example.com"},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
