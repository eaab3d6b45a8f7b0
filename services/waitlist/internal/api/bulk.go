package api

import (
	"context"

	"github.com/google/uuid"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

// maxBulk is how many entries one call approves.
const maxBulk = 100

// BulkApproveUsers lets each of the entries in, one by one: each has its own
// transaction, email and audit record.
func (s *Server) BulkApproveUsers(ctx context.Context, req *waitlistv1.BulkApproveUsersRequest) (*waitlistv1.BulkApproveUsersResponse, error) {
	ids, err := decodeIDs(req.GetIds())
	if err != nil {
		return nil, err
	}
	resp := &waitlistv1.BulkApproveUsersResponse{}
	for _, id := range ids {
		result := &waitlistv1.BulkApproveResult{Id: id.String()}
		approved, changed, err := s.store.Approve(ctx, id)
		if err != nil {
			failed := fault.Of(err)
			result.Code, result.Error = failed.Reason, failed.Message
			s.log.WarnContext(ctx, "an entry of a bulk approval was not approved", "entry", id, "reason", failed.Reason, "error", err)
		}
		if err == nil {
			result.UndoUntil = s.undoUntil(approved)
		}
		s.trace(ctx, "approve", approved, changed)
		resp.Results = append(resp.Results, result)
	}
	return resp, nil
}

func decodeIDs(values []string) ([]uuid.UUID, error) {
	if len(values) < 1 || len(values) > maxBulk {
		return nil, fault.InvalidField("ids", "There must be 1 to 100 ids.")
	}
	seen := make(map[uuid.UUID]bool, len(values))
	ids := make([]uuid.UUID, 0, len(values))
	for _, value := range values {
		id, err := decodeID(value)
		if err != nil {
			return nil, fault.InvalidField("ids", "Each id must be a UUID.")
		}
		if seen[id] {
			return nil, fault.InvalidField("ids", "Each id must be given once.")
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return ids, nil
}
