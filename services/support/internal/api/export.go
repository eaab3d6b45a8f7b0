package api

import (
	"context"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/export"
)

// ExportAccount tells what an account takes along.
func (s *Server) ExportAccount(ctx context.Context, req *supportv1.ExportAccountRequest) (*supportv1.ExportAccountResponse, error) {
	parts, next, err := export.PieceOf(ctx, s.store.ExportTables(), req.GetAccount(), req.GetCursor())
	if err != nil {
		return nil, err
	}
	return &supportv1.ExportAccountResponse{Parts: parts, NextCursor: next}, nil
}
