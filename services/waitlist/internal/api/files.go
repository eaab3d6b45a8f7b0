package api

import (
	"context"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// maxImport is how many lines one call imports.
const maxImport = 5000

// ExportUsers returns a large piece of the list.
func (s *Server) ExportUsers(ctx context.Context, req *waitlistv1.ExportUsersRequest) (*waitlistv1.ExportUsersResponse, error) {
	filter, after, err := decodeFilter(req)
	if err != nil {
		return nil, err
	}
	chunk, err := s.store.List(ctx, filter, after, store.MaxChunk)
	if err != nil {
		return nil, err
	}
	page := encodePage(chunk)
	return &waitlistv1.ExportUsersResponse{Users: page.GetUsers(), NextCursor: page.GetNextCursor()}, nil
}

// ImportUsers puts a part of a file on the list.
func (s *Server) ImportUsers(ctx context.Context, req *waitlistv1.ImportUsersRequest) (*waitlistv1.ImportUsersResponse, error) {
	part, results, err := decodeImport(req)
	if err != nil {
		return nil, err
	}
	isNew, err := s.store.Import(ctx, part)
	if err != nil {
		return nil, err
	}
	added := 0
	for _, result := range results {
		if result.GetOutcome() == waitlistv1.ImportResult_OUTCOME_INVALID {
			continue
		}
		if result.Outcome = waitlistv1.ImportResult_OUTCOME_KNOWN; isNew[0] {
			result.Outcome = waitlistv1.ImportResult_OUTCOME_ADDED
			added++
		}
		isNew = isNew[1:]
	}
	s.log.InfoContext(ctx, "waitlist imported", "import", part.ID, "added", added, "known", len(part.Emails)-added, "invalid", part.Invalid)
	return &waitlistv1.ImportUsersResponse{Results: results}, nil
}

// decodeImport reads the lines. It returns a result for each, which is complete
// for those that hold no address.
func decodeImport(req *waitlistv1.ImportUsersRequest) (store.ImportPart, []*waitlistv1.ImportResult, error) {
	lines := req.GetLines()
	if len(lines) < 1 || len(lines) > maxImport {
		return store.ImportPart{}, nil, invalidField("invalid_lines", "lines", "There must be 1 to 5,000 lines.")
	}
	id, err := decodeID(req.GetImportId())
	if err != nil {
		return store.ImportPart{}, nil, err
	}
	part := store.ImportPart{ID: id.String(), First: int(lines[0].GetLine()), Last: int(lines[len(lines)-1].GetLine())}
	results := make([]*waitlistv1.ImportResult, len(lines))
	for i, line := range lines {
		results[i] = &waitlistv1.ImportResult{}
		email, err := entry.ParseEmail(line.GetEmail())
		if err != nil {
			results[i].Outcome, results[i].Error = waitlistv1.ImportResult_OUTCOME_INVALID, err.Error()
			part.Invalid++
			continue
		}
		part.Emails = append(part.Emails, email)
	}
	return part, results, nil
}
