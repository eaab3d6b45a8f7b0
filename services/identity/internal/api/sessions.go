package api

import (
	"context"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/authn"
)

// Sessions opens, refreshes and ends sessions.
type Sessions interface {
	Create(ctx context.Context, cookieHeader string, c session.Client) (session.Session, error)
	Refresh(ctx context.Context, refreshToken string) (session.Session, error)
	SignOut(ctx context.Context, family uuid.UUID, cookieHeader string) error
}

// CreateSession implements IdentityService.
func (s *Server) CreateSession(ctx context.Context, req *identityv1.CreateSessionRequest) (*identityv1.CreateSessionResponse, error) {
	out, err := s.Sessions.Create(ctx, req.GetCookie(), client(req))
	if err != nil {
		return nil, err
	}
	return &identityv1.CreateSessionResponse{Session: encodeSession(out)}, nil
}

// RefreshSession implements IdentityService.
func (s *Server) RefreshSession(ctx context.Context, req *identityv1.RefreshSessionRequest) (*identityv1.RefreshSessionResponse, error) {
	out, err := s.Sessions.Refresh(ctx, req.GetRefreshToken())
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
	if err := s.Sessions.SignOut(ctx, family, req.GetCookie()); err != nil {
		return nil, err
	}
	return &identityv1.SignOutResponse{}, nil
}
