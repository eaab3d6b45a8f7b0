// Package api is the gRPC face of the service: decode, call, encode.
package api

import (
	"context"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
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
	identityv1.IdentityService_IsAdmin_FullMethodName:             authn.User,
	identityv1.IdentityService_CheckAccess_FullMethodName:         authn.Internal,
	identityv1.IdentityService_GetJWKS_FullMethodName:             authn.Public,
}

// Sessions opens, refreshes and ends sessions.
type Sessions interface {
	Create(ctx context.Context, cookieHeader string, c session.Client) (session.Session, error)
	Refresh(ctx context.Context, refreshToken string) (session.Session, error)
	SignOut(ctx context.Context, family uuid.UUID, cookieHeader string) error
}

// Accounts reads records and roles.
type Accounts interface {
	User(ctx context.Context, id uuid.UUID) (account.User, error)
	Access(ctx context.Context, id, family uuid.UUID) (account.Access, error)
}

// Server implements identityv1.IdentityServiceServer.
type Server struct {
	identityv1.UnimplementedIdentityServiceServer
	sessions Sessions
	accounts Accounts
	jwks     func() []byte
}

// NewServer returns the service's handlers; jwks returns the current key set.
func NewServer(sessions Sessions, accounts Accounts, jwks func() []byte) *Server {
	return &Server{sessions: sessions, accounts: accounts, jwks: jwks}
}

// CreateSession implements IdentityService.
func (s *Server) CreateSession(ctx context.Context, req *identityv1.CreateSessionRequest) (*identityv1.CreateSessionResponse, error) {
	out, err := s.sessions.Create(ctx, req.GetCookie(), client(req))
	if err != nil {
		return nil, err
	}
	return &identityv1.CreateSessionResponse{Session: encodeSession(out)}, nil
}

// RefreshSession implements IdentityService.
func (s *Server) RefreshSession(ctx context.Context, req *identityv1.RefreshSessionRequest) (*identityv1.RefreshSessionResponse, error) {
	out, err := s.sessions.Refresh(ctx, req.GetRefreshToken())
	if err != nil {
		return nil, err
	}
	return &identityv1.RefreshSessionResponse{Session: encodeSession(out)}, nil
}

// SignOut implements IdentityService.
func (s *Server) SignOut(ctx context.Context, req *identityv1.SignOutRequest) (*identityv1.SignOutResponse, error) {
	family := uuid.Nil
	if _, ok := authn.FromContext(ctx); ok {
		var err error
		if family, err = callersFamily(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.sessions.SignOut(ctx, family, req.GetCookie()); err != nil {
		return nil, err
	}
	return &identityv1.SignOutResponse{}, nil
}

// GetUser implements IdentityService.
func (s *Server) GetUser(ctx context.Context, _ *identityv1.GetUserRequest) (*identityv1.GetUserResponse, error) {
	id, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	user, err := s.accounts.User(ctx, id)
	if err != nil {
		return nil, err
	}
	return &identityv1.GetUserResponse{User: encodeUser(user)}, nil
}

// IsAdmin implements IdentityService.
func (s *Server) IsAdmin(ctx context.Context, _ *identityv1.IsAdminRequest) (*identityv1.IsAdminResponse, error) {
	id, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	family, err := callersFamily(ctx)
	if err != nil {
		return nil, err
	}
	access, err := s.accounts.Access(ctx, id, family)
	if err != nil {
		return nil, err
	}
	if !access.SignedIn {
		return nil, authn.ErrBadToken
	}
	return &identityv1.IsAdminResponse{IsAdmin: access.IsAdmin()}, nil
}

// CheckAccess implements IdentityService.
func (s *Server) CheckAccess(ctx context.Context, req *identityv1.CheckAccessRequest) (*identityv1.CheckAccessResponse, error) {
	id, err := uuid.Parse(req.GetUserId())
	if err != nil {
		return nil, fault.New(fault.Invalid, "invalid_user_id", "The user id is not valid.").Field("userId", "must be a UUID")
	}
	family, err := uuid.Parse(req.GetSessionId())
	if err != nil {
		return nil, fault.New(fault.Invalid, "invalid_session_id", "The session id is not valid.").Field("sessionId", "must be a UUID")
	}
	access, err := s.accounts.Access(ctx, id, family)
	if err != nil {
		return nil, err
	}
	return &identityv1.CheckAccessResponse{SignedIn: access.SignedIn, Active: access.Active, Roles: encodeRoles(access.Roles)}, nil
}

// GetJWKS implements IdentityService.
func (s *Server) GetJWKS(context.Context, *identityv1.GetJWKSRequest) (*identityv1.GetJWKSResponse, error) {
	return &identityv1.GetJWKSResponse{Jwks: s.jwks()}, nil
}

func caller(ctx context.Context) (uuid.UUID, error) {
	p, ok := authn.FromContext(ctx)
	if !ok {
		return uuid.Nil, authn.ErrNoToken
	}
	id, err := uuid.Parse(p.UserID)
	if err != nil {
		return uuid.Nil, authn.ErrBadToken
	}
	return id, nil
}

func callersFamily(ctx context.Context) (uuid.UUID, error) {
	p, ok := authn.FromContext(ctx)
	if !ok {
		return uuid.Nil, authn.ErrNoToken
	}
	family, err := uuid.Parse(p.SessionID)
	if err != nil {
		return uuid.Nil, authn.ErrBadToken
	}
	return family, nil
}
