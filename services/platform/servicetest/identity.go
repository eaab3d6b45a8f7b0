package servicetest

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// Identity answers for the issuer as the identity service would, until the test
// ends, and returns the address.
func Identity(t testing.TB, issuer *authntest.Issuer) (addr string) {
	t.Helper()
	rt := service.NewRuntime("identity", "dev", obs.NewLogger(io.Discard, "identity", slog.LevelError))
	policy := authn.Policy{}
	for _, method := range identityv1.IdentityService_ServiceDesc.Methods {
		policy["/"+identityv1.IdentityService_ServiceDesc.ServiceName+"/"+method.MethodName] = authn.Internal
	}
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: InternalToken, MaxConnectionAge: time.Minute},
		rt, issuer.Verifier(), issuer, policy)
	errtest.None(t, err)
	server.Register(&identityv1.IdentityService_ServiceDesc, identity{issuer: issuer})
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	return server.Addr()
}

type identity struct {
	identityv1.UnimplementedIdentityServiceServer
	issuer *authntest.Issuer
}

func (i identity) GetJWKS(ctx context.Context, _ *identityv1.GetJWKSRequest) (*identityv1.GetJWKSResponse, error) {
	jwks, err := i.issuer.JWKS(ctx)
	return &identityv1.GetJWKSResponse{Jwks: jwks}, err
}

// ListAddresses has everybody's for whom the issuer has signed a token.
func (i identity) ListAddresses(_ context.Context, req *identityv1.ListAddressesRequest) (*identityv1.ListAddressesResponse, error) {
	resp := &identityv1.ListAddressesResponse{}
	for _, id := range req.GetUserIds() {
		if email := i.issuer.Address(id); email != "" {
			resp.Addresses = append(resp.Addresses, &identityv1.UserAddress{UserId: id, Email: email})
		}
	}
	return resp, nil
}

// FindAccount finds whoever the issuer has signed a token for.
func (i identity) FindAccount(_ context.Context, req *identityv1.FindAccountRequest) (*identityv1.FindAccountResponse, error) {
	id := i.issuer.AccountAt(req.GetEmail())
	if id == "" {
		return &identityv1.FindAccountResponse{}, nil
	}
	return &identityv1.FindAccountResponse{Account: &identityv1.UserAddress{UserId: id, Email: i.issuer.Address(id)}}, nil
}

func (i identity) CheckAccess(ctx context.Context, req *identityv1.CheckAccessRequest) (*identityv1.CheckAccessResponse, error) {
	rights, err := i.issuer.CheckAccess(ctx, authn.Principal{UserID: req.GetUserId(), SessionID: req.GetSessionId()})
	resp := &identityv1.CheckAccessResponse{SignedIn: rights.SignedIn, Active: rights.Active, StaffSession: rights.StaffSession, Fresh: rights.Fresh, SecondFactorMissing: rights.SecondFactorMissing}
	if rights.Moderator {
		resp.Roles = append(resp.Roles, identityv1.Role_ROLE_MODERATOR)
	}
	if rights.Admin {
		resp.Roles = append(resp.Roles, identityv1.Role_ROLE_ADMIN)
	}
	return resp, err
}
