package api

import (
	"context"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/export"
)

// ExportAccount tells what an account takes along.
func (s *Server) ExportAccount(ctx context.Context, req *billingv1.ExportAccountRequest) (*billingv1.ExportAccountResponse, error) {
	parts, next, err := export.PieceOf(ctx, s.Exports, req.GetAccount(), req.GetCursor())
	if err != nil {
		return nil, err
	}
	return &billingv1.ExportAccountResponse{Parts: parts, NextCursor: next}, nil
}
