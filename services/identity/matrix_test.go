package identity_test

import (
	"errors"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/api"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/rpc"
)

// TestTheRunningServiceKeepsItsPolicy calls every method of the real service without the
// internal token: anonymously, as a person and as an admin.
func TestTheRunningServiceKeepsItsPolicy(t *testing.T) {
	r := newRig(t)
	conn, err := rpc.Dial(r.grpc, rpc.ClientConfig{})
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	for _, m := range identityv1.IdentityService_ServiceDesc.Methods {
		method := "/" + identityv1.IdentityService_ServiceDesc.ServiceName + "/" + m.MethodName
		// One of the methods signs its caller out.
		user, admin := r.session(r.kratos.signIn("u@example.com", true)), r.session(r.kratos.signIn("boss@fledge.test", true))
		access := api.Policy()[method]
		nobody := conn.Invoke(t.Context(), method, &emptypb.Empty{}, &emptypb.Empty{}, grpc.StaticMethod())
		person := conn.Invoke(r.as(user), method, &emptypb.Empty{}, &emptypb.Empty{}, grpc.StaticMethod())
		switch access {
		case authn.Internal:
			asAdmin := conn.Invoke(r.as(admin), method, &emptypb.Empty{}, &emptypb.Empty{}, grpc.StaticMethod())
			if !errors.Is(nobody, fault.NotFound) || !errors.Is(person, fault.NotFound) || !errors.Is(asAdmin, fault.NotFound) {
				t.Errorf("%s: nobody %v, a person %v, an admin %v", method, nobody, person, asAdmin)
			}
		case authn.Staff, authn.Admin, authn.FreshAdmin:
			if !errors.Is(nobody, fault.Unauthenticated) || !errors.Is(person, fault.Forbidden) {
				t.Errorf("%s: nobody %v, a person %v", method, nobody, person)
			}
		case authn.User, authn.Active:
			if !errors.Is(nobody, fault.Unauthenticated) || errors.Is(person, fault.Unauthenticated) {
				t.Errorf("%s: nobody %v, a person %v", method, nobody, person)
			}
		case authn.Public:
			if errors.Is(nobody, fault.Forbidden) || errors.Is(nobody, fault.NotFound) {
				t.Errorf("%s: nobody %v", method, nobody)
			}
		}
	}
}

// TestNobodyActsForAnother: two people with a browser and a Mac each see and end
// their own sessions alone, and what one hands off is always their own account.
func TestNobodyActsForAnother(t *testing.T) {
	r := newRig(t, "HAND_OFF_TOKENS=true")
	u, v := r.session(r.kratos.signIn("u@example.com", true)), r.session(r.kratos.signIn("v@example.com", true))
	macU, macV := r.mac(u), r.mac(v)
	ids := map[*identityv1.Session][]string{}
	for owner, session := range map[*identityv1.Session]*identityv1.Session{u: macU, v: macV} {
		ids[owner] = []string{r.principal(owner).SessionID, r.principal(session).SessionID}
	}
	for _, caller := range []*identityv1.Session{u, macU} {
		list, err := r.ListDevices(r.as(caller), &identityv1.ListDevicesRequest{})
		if err != nil || len(list.GetDevices()) != 2 {
			t.Fatalf("%v, %v", list, err)
		}
		for _, d := range list.GetDevices() {
			if !slices.Contains(ids[u], d.GetId()) {
				t.Errorf("u sees %v", d)
			}
		}
		_, unknown := r.RevokeDevice(r.as(caller), &identityv1.RevokeDeviceRequest{DeviceId: uuid.NewString()})
		for _, id := range ids[v] {
			_, err := r.RevokeDevice(r.as(caller), &identityv1.RevokeDeviceRequest{DeviceId: id})
			if !errors.Is(err, fault.NotFound) || err.Error() != unknown.Error() {
				t.Errorf("u ends v's session: %v, an unknown one: %v", err, unknown)
			}
		}
	}
	// A Mac hands nothing off, and a browser only its own account.
	if _, err := r.CreateHandOffCode(r.as(macU), &identityv1.CreateHandOffCodeRequest{Callback: callback, CodeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}); !errors.Is(err, fault.Forbidden) {
		t.Errorf("a Mac hands off: %v", err)
	}
	if _, err := r.CreateDeviceSession(r.as(macU), &identityv1.CreateDeviceSessionRequest{}); !errors.Is(err, fault.Forbidden) {
		t.Errorf("a Mac opens another: %v", err)
	}
	// Trading u's code with v's token beside it still opens u's account.
	resp, err := r.ExchangeHandOffCode(r.as(v), r.grant(u))
	if err != nil || resp.GetSession().GetUser().GetId() != u.GetUser().GetId() {
		t.Errorf("u's code opened %v, %v", resp.GetSession().GetUser(), err)
	}
	if _, err := r.SetUserRoles(r.as(u), &identityv1.SetUserRolesRequest{UserId: u.GetUser().GetId(), Roles: []identityv1.Role{identityv1.Role_ROLE_ADMIN}}); !errors.Is(err, fault.Forbidden) {
		t.Errorf("u makes an admin of itself: %v", err)
	}
	if _, err := r.SignOut(r.as(u), &identityv1.SignOutRequest{Everywhere: true}); err != nil {
		t.Fatal(err)
	}
	// After all of that, v is as signed in as before.
	for _, session := range []*identityv1.Session{v, macV} {
		if _, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: session.GetRefreshToken()}); err != nil {
			t.Errorf("v was signed out: %v", err)
		}
	}
}
