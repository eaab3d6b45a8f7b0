package api

import (
	"context"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/authn"
)

// GetSecondFactor implements IdentityService.
func (s *Server) GetSecondFactor(ctx context.Context, _ *identityv1.GetSecondFactorRequest) (*identityv1.GetSecondFactorResponse, error) {
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
	return &identityv1.GetSecondFactorResponse{
		Staff: access.IsAdmin() || access.IsModerator(), Required: s.SecondFactor, Verified: access.SecondFactor,
		Fresh: access.Rights(s.Clock.Now(), s.SecondFactor).Fresh,
	}, nil
}

// AdmitSecondFactorCode implements IdentityService.
func (s *Server) AdmitSecondFactorCode(ctx context.Context, req *identityv1.AdmitSecondFactorCodeRequest) (*identityv1.AdmitSecondFactorCodeResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	code, err := decodeLine("code", req.GetCode())
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
	if err := s.Store.AdmitFactorCode(ctx, c.User, account.NewFactorCode(code, s.Clock.Now())); err != nil {
		return nil, err
	}
	return &identityv1.AdmitSecondFactorCodeResponse{}, nil
}
