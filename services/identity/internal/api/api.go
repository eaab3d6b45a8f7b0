// Package api implements the gRPC interface: it decodes requests, calls the packages that
// do the work, and encodes answers.
package api

import (
	"context"
	"log/slog"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/oauthclient"
	"fledge.dev/services/identity/internal/provider"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/staff"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/clock"
)

// Parts are what the handlers call.
type Parts struct {
	Sessions *session.Service
	Store    *store.Store
	Staff    *staff.Service
	Exports  Exports
	Apple    *provider.Follower
	Clients  oauthclient.Clients
	// Signer and Issuer are those of servers' tokens.
	Signer token.Signer
	Issuer string
	// JWKS returns the current key set.
	JWKS  func() []byte
	Clock clock.Clock
	// Log tells who changed whom.
	Log *slog.Logger
	// SecondFactor is whether staff needs one.
	SecondFactor bool
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
