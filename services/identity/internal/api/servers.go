package api

import (
	"context"
	"log/slog"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

var errScope = fault.New(fault.Invalid, "invalid_scope", "The scope must be "+authn.ScopeSpend+".")

// CreateServerToken implements IdentityService.
func (s *Server) CreateServerToken(ctx context.Context, req *identityv1.CreateServerTokenRequest) (*identityv1.CreateServerTokenResponse, error) {
	if err := s.Clients.Check(req.GetClientId(), req.GetClientSecret()); err != nil {
		s.Log.WarnContext(ctx, "security: a server was refused: unknown client id or wrong secret", slog.Int("length", len(req.GetClientId())))
		return nil, err
	}
	if req.GetScope() != "" && req.GetScope() != authn.ScopeSpend {
		return nil, errScope
	}
	access, err := token.ForServer(s.Signer, s.Issuer, req.GetClientId(), s.Clock.Now())
	if err != nil {
		return nil, err
	}
	s.Log.InfoContext(ctx, "a server got an access token", slog.String("server", req.GetClientId()))
	return &identityv1.CreateServerTokenResponse{AccessToken: access, ExpiresIn: int64(token.AccessLifetime.Seconds()), Scope: authn.ScopeSpend}, nil
}
