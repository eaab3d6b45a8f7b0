// Package api is the gRPC face of the service: decode, call, encode.
package api

import (
	"context"
	"log/slog"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/rpc"
)

// Policy says who may call what. CreateSession, ExchangeHandOffCode and
// CheckAccess are the gateway's and the services' own: two take a client's
// address on trust, the third answers about anybody.
var Policy = authn.Policy{
	identityv1.IdentityService_CreateSession_FullMethodName:       authn.Internal,
	identityv1.IdentityService_RefreshSession_FullMethodName:      authn.Public,
	identityv1.IdentityService_CreateHandOffCode_FullMethodName:   authn.User,
	identityv1.IdentityService_ExchangeHandOffCode_FullMethodName: authn.Internal,
	identityv1.IdentityService_CreateDeviceSession_FullMethodName: authn.User,
	identityv1.IdentityService_SignOut_FullMethodName:             authn.Public,
	identityv1.IdentityService_ListDevices_FullMethodName:         authn.User,
	identityv1.IdentityService_RevokeDevice_FullMethodName:        authn.User,
	identityv1.IdentityService_GetUser_FullMethodName:             authn.User,
	identityv1.IdentityService_ListUsers_FullMethodName:           authn.Admin,
	identityv1.IdentityService_SetUserRoles_FullMethodName:        authn.Admin,
	identityv1.IdentityService_ListAuditEntries_FullMethodName:    authn.Admin,
	identityv1.IdentityService_IsAdmin_FullMethodName:             authn.User,
	identityv1.IdentityService_CheckAccess_FullMethodName:         authn.Internal,
	identityv1.IdentityService_GetJWKS_FullMethodName:             authn.Public,
}

// Callers are the services besides the gateway that ask about keys and accounts.
var Callers = rpc.Callers{
	identityv1.IdentityService_GetJWKS_FullMethodName:     services,
	identityv1.IdentityService_CheckAccess_FullMethodName: services,
}

// services are those that verify tokens by themselves.
var services = []string{"billing", "waitlist", "support", "releases"}

// Parts are what the handlers call. Each part's interface stands beside its
// handlers.
type Parts struct {
	Sessions Sessions
	HandOff  HandOff
	Devices  Devices
	Accounts Accounts
	Users    Users
	AuditLog AuditLog
	// JWKS returns the current key set.
	JWKS  func() []byte
	Clock clock.Clock
	// Log tells who changed whom.
	Log *slog.Logger
}

// Server implements identityv1.IdentityServiceServer.
type Server struct {
	identityv1.UnimplementedIdentityServiceServer
	Parts
}

// NewServer returns the service's handlers.
func NewServer(p Parts) *Server { return &Server{Parts: p} }

// GetJWKS implements IdentityService.
func (s *Server) GetJWKS(context.Context, *identityv1.GetJWKSRequest) (*identityv1.GetJWKSResponse, error) {
	return &identityv1.GetJWKSResponse{Jwks: s.JWKS()}, nil
}
