package api

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

// maxRefreshToken is longer than any of ours.
const maxRefreshToken = 512

// CreateSession implements IdentityService.
func (s *Server) CreateSession(ctx context.Context, req *identityv1.CreateSessionRequest) (*identityv1.CreateSessionResponse, error) {
	out, err := s.Sessions.Create(ctx, req.GetCookie(), decodeDevice(req))
	if err != nil {
		return nil, err
	}
	return &identityv1.CreateSessionResponse{Session: encodeSession(out), DeletionTakenBack: out.DeletionTakenBack}, nil
}

// RefreshSession implements IdentityService.
func (s *Server) RefreshSession(ctx context.Context, req *identityv1.RefreshSessionRequest) (*identityv1.RefreshSessionResponse, error) {
	if token := req.GetRefreshToken(); token == "" || len(token) > maxRefreshToken {
		return nil, fault.InvalidField("refresh_token", "The value of refresh_token must be a refresh token.")
	}
	out, err := s.Sessions.Refresh(ctx, req.GetRefreshToken(), req.GetCookie(), decodeDevice(req))
	if err != nil {
		return nil, err
	}
	return &identityv1.RefreshSessionResponse{Session: encodeSession(out)}, nil
}

// SignOut implements IdentityService.
func (s *Server) SignOut(ctx context.Context, req *identityv1.SignOutRequest) (*identityv1.SignOutResponse, error) {
	if by := req.GetReplacedBy(); by != "" {
		return &identityv1.SignOutResponse{}, s.Sessions.SignOutReplaced(ctx, req.GetReplaced(), by)
	}
	var c session.Caller
	if _, ok := authn.FromContext(ctx); ok {
		var err error
		if c, err = caller(ctx); err != nil {
			return nil, err
		}
	}
	end := s.Sessions.SignOut
	switch {
	case req.GetEverywhere():
		end = s.Sessions.SignOutEverywhere
	case req.GetOthers():
		end = s.Sessions.SignOutOthers
	}
	if err := end(ctx, c, req.GetCookie()); err != nil {
		return nil, err
	}
	return &identityv1.SignOutResponse{}, nil
}

// DeleteAccount implements IdentityService.
func (s *Server) DeleteAccount(ctx context.Context, _ *identityv1.DeleteAccountRequest) (*identityv1.DeleteAccountResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	eraseAt, err := s.Sessions.Delete(ctx, c)
	if err != nil {
		return nil, err
	}
	return &identityv1.DeleteAccountResponse{EraseAt: timestamppb.New(eraseAt)}, nil
}

// UnlinkProvider implements IdentityService.
func (s *Server) UnlinkProvider(ctx context.Context, req *identityv1.UnlinkProviderRequest) (*identityv1.UnlinkProviderResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	user, err := s.Sessions.Unlink(ctx, c, req.GetProvider())
	if err != nil {
		return nil, err
	}
	return &identityv1.UnlinkProviderResponse{User: encodeUser(user)}, nil
}
