package api

import (
	"context"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/text"
)

// GetUser implements IdentityService.
func (s *Server) GetUser(ctx context.Context, _ *identityv1.GetUserRequest) (*identityv1.GetUserResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	user, err := s.Store.User(ctx, c.User)
	if err != nil {
		return nil, err
	}
	return &identityv1.GetUserResponse{User: encodeUser(user)}, nil
}

// IsAdmin implements IdentityService.
func (s *Server) IsAdmin(ctx context.Context, _ *identityv1.IsAdminRequest) (*identityv1.IsAdminResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	access, err := s.Store.Access(ctx, c.User, c.Family)
	if err != nil {
		return nil, err
	}
	if !access.SignedIn {
		return nil, authn.ErrBadToken
	}
	return &identityv1.IsAdminResponse{IsAdmin: access.IsAdmin(), IsModerator: access.IsModerator()}, nil
}

// CheckAccess implements IdentityService.
func (s *Server) CheckAccess(ctx context.Context, req *identityv1.CheckAccessRequest) (*identityv1.CheckAccessResponse, error) {
	id, err := decodeUser(req.GetUserId())
	if err != nil {
		return nil, err
	}
	family, ok := text.UUID(req.GetSessionId())
	if !ok {
		return nil, fault.InvalidField("session_id", "The session id must be a UUID.")
	}
	access, err := s.Store.Access(ctx, id, family)
	if err != nil {
		return nil, err
	}
	rights := access.Rights(s.Clock.Now(), s.SecondFactor)
	return &identityv1.CheckAccessResponse{
		SignedIn: access.SignedIn, Active: access.Active, Roles: encodeRoles(access.Roles),
		StaffSession: rights.StaffSession, Fresh: rights.Fresh, SecondFactorMissing: rights.SecondFactorMissing,
	}, nil
}
