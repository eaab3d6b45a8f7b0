package api

import (
	"context"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/export"
)

// ExportAccount tells what an account takes along.
func (s *Server) ExportAccount(ctx context.Context, req *waitlistv1.ExportAccountRequest) (*waitlistv1.ExportAccountResponse, error) {
	parts, next, err := export.PieceOf(ctx, s.store.ExportTables(), req.GetAccount(), req.GetCursor())
	if err != nil {
		return nil, err
	}
	return &waitlistv1.ExportAccountResponse{Parts: parts, NextCursor: next}, nil
}
