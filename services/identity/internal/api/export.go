package api

import (
	"context"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/export"
)

// Exports are what people take along.
type Exports interface {
	// ExportAccount is whose data it is, to all services.
	ExportAccount(ctx context.Context, id uuid.UUID) (export.Account, error)
	ExportTables() []export.Table
}

// ExportAccount implements IdentityService.
func (s *Server) ExportAccount(ctx context.Context, req *identityv1.ExportAccountRequest) (*identityv1.ExportAccountResponse, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Sessions.CheckFresh(ctx, c); err != nil {
		return nil, err
	}
	account, err := s.Exports.ExportAccount(ctx, c.User)
	if err != nil {
		return nil, err
	}
	parts, next, err := export.Piece(ctx, s.Exports.ExportTables(), account, req.GetCursor())
	if err != nil {
		return nil, err
	}
	if req.GetCursor() == "" {
		s.Log.InfoContext(ctx, "an account is exported", "user", c.User)
	}
	return &identityv1.ExportAccountResponse{Account: account.Proto(), Parts: parts, NextCursor: next}, nil
}
