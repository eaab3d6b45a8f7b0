package api

import (
	"context"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/waitlist/internal/store"
)

// GetInvitation tells which address the link of an approval email or its reminder was sent to.
func (s *Server) GetInvitation(ctx context.Context, req *waitlistv1.GetInvitationRequest) (*waitlistv1.GetInvitationResponse, error) {
	caller, err := callerOf(ctx)
	if err != nil {
		return nil, err
	}
	hash, err := decodeClaim(req.GetClaim())
	if err != nil {
		return nil, err
	}
	invited, err := s.store.Invitation(ctx, hash, caller)
	if err != nil {
		return nil, err
	}
	return &waitlistv1.GetInvitationResponse{Email: invited.Email.String()}, nil
}

// OpenInvitation notes that the link of an approval email or its reminder was opened.
func (s *Server) OpenInvitation(ctx context.Context, req *waitlistv1.OpenInvitationRequest) (*waitlistv1.OpenInvitationResponse, error) {
	hash, err := decodeClaim(req.GetClaim())
	if err != nil {
		return nil, err
	}
	return &waitlistv1.OpenInvitationResponse{}, s.store.Open(ctx, hash)
}

// ClaimInvitation gives the entry of such a link to the caller's account, too.
func (s *Server) ClaimInvitation(ctx context.Context, req *waitlistv1.ClaimInvitationRequest) (*waitlistv1.ClaimInvitationResponse, error) {
	caller, err := callerOf(ctx)
	if err != nil {
		return nil, err
	}
	hash, err := decodeClaim(req.GetClaim())
	if err != nil {
		return nil, err
	}
	claimed, changed, err := s.store.Claim(ctx, hash, caller)
	if err != nil {
		return nil, err
	}
	s.trace(ctx, "claim", claimed, changed)
	return &waitlistv1.ClaimInvitationResponse{}, nil
}

func callerOf(ctx context.Context) (store.Account, error) {
	caller, _ := authn.FromContext(ctx)
	id, err := authn.Account(ctx)
	return store.Account{ID: id, Email: caller.Email}, err
}
