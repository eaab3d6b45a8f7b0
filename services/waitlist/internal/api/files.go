package api

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
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
	reports, err := s.store.Reports(ctx, chunk.Entries)
	if err != nil {
		return nil, err
	}
	page := encodePage(chunk)
	resp := &waitlistv1.ExportUsersResponse{Users: page.GetUsers(), NextCursor: page.GetNextCursor(), Records: make([]*waitlistv1.Record, len(chunk.Entries))}
	for i, e := range chunk.Entries {
		resp.Records[i] = encodeRecord(e, reports[e.Email.String()])
	}
	return resp, nil
}

// ImportUsers puts a part of a file on the list.
func (s *Server) ImportUsers(ctx context.Context, req *waitlistv1.ImportUsersRequest) (*waitlistv1.ImportUsersResponse, error) {
	began := s.clock.Now()
	if at := req.GetBeganAt(); at.IsValid() && at.AsTime().Before(began) { // the caller's clock may be ahead
		began = at.AsTime()
	}
	part, results, err := decodeImport(req, began)
	if err != nil {
		return nil, err
	}
	write := s.store.Import
	if req.GetDryRun() {
		write = s.store.PreviewImport
	}
	isNew, err := write(ctx, part)
	if err != nil {
		return nil, err
	}
	added, next := 0, 0
	for _, result := range results {
		if result.GetOutcome() == waitlistv1.ImportResult_OUTCOME_INVALID {
			continue
		}
		if result.Outcome = waitlistv1.ImportResult_OUTCOME_KNOWN; isNew[next] {
			result.Outcome = waitlistv1.ImportResult_OUTCOME_ADDED
			added++
		}
		if e := part.Entries[next]; req.GetDryRun() {
			result.JoinedAt, result.Status, result.Source = timestamppb.New(e.CreatedAt), enum.Of[waitlistv1.Status](e.Status), enum.Of[waitlistv1.Source](e.Source)
		}
		next++
	}
	if !req.GetDryRun() {
		s.log.InfoContext(ctx, "waitlist imported", "import", part.ID, "added", added, "known", len(part.Entries)-added, "invalid", part.Invalid)
	}
	return &waitlistv1.ImportUsersResponse{Results: results}, nil
}

// decodeImport reads the lines. It returns a result for each, which is complete
// for those that are invalid.
func decodeImport(req *waitlistv1.ImportUsersRequest, began time.Time) (store.ImportPart, []*waitlistv1.ImportResult, error) {
	lines := req.GetLines()
	if len(lines) < 1 || len(lines) > maxImport {
		return store.ImportPart{}, nil, fault.InvalidField("lines", "There must be 1 to 5,000 lines.")
	}
	id, err := decodeID(req.GetImportId())
	if err != nil {
		return store.ImportPart{}, nil, err
	}
	part := store.ImportPart{ID: id.String(), Reports: map[uuid.UUID]mail.Report{}, First: int(lines[0].GetLine()), Last: int(lines[len(lines)-1].GetLine())}
	results := make([]*waitlistv1.ImportResult, len(lines))
	for i, line := range lines {
		results[i] = &waitlistv1.ImportResult{}
		e, err := decodeLine(line, req, began)
		var report mail.Report
		if err == nil {
			report, err = decodeRecord(line.GetRecord(), &e, began)
		}
		if err != nil {
			results[i].Outcome, results[i].Error = waitlistv1.ImportResult_OUTCOME_INVALID, err.Error()
			part.Invalid++
			continue
		}
		if report.State != "" {
			part.Reports[e.ID] = report
		}
		part.Entries = append(part.Entries, e)
	}
	return part, results, nil
}

// unsubscribed is the status of somebody whom another tool does not write to.
const unsubscribed = "unsubscribed"

// Reasons why a line is refused, in words for people.
var (
	errStatus = errors.New("The status is not pending, approved or rejected.")              //nolint:staticcheck // shown to people as it is
	errLeft   = errors.New("The file says that this person gets no emails.")                //nolint:staticcheck // shown to people as it is
	errSource = errors.New("The source is not hero_section, cta_section, admin or import.") //nolint:staticcheck // shown to people as it is
)

// decodeLine reads a line. What it does not say is that of somebody whom staff add. A line without a date
// joins when the import begins; of those the first has waited longest. Of lines of the same date it is the
// last, unless the file is oldest first: our exports are newest first.
func decodeLine(line *waitlistv1.ImportLine, req *waitlistv1.ImportUsersRequest, began time.Time) (e entry.Entry, err error) {
	email, err := entry.ParseEmail(line.GetEmail())
	if err != nil {
		return e, err
	}
	status, source, joined, rank := entry.Pending, entry.Import, began, int(line.GetLine())
	if text := strings.ToLower(line.GetStatus()); text == unsubscribed {
		return e, errLeft
	} else if text != "" {
		if status = entry.Status(text); enum.Of[waitlistv1.Status](status) == waitlistv1.Status_STATUS_UNSPECIFIED {
			return e, errStatus
		}
	}
	if text := strings.ToLower(line.GetSource()); text != "" {
		if source = entry.Source(text); enum.Of[waitlistv1.Source](source) == waitlistv1.Source_SOURCE_UNSPECIFIED {
			return e, errSource
		}
	}
	if text := line.GetJoined(); text != "" {
		if joined, err = csvfile.ParsePast(text, req.GetDayFirst(), began); err != nil {
			return e, err
		}
		if !req.GetOldestFirst() {
			rank = -rank
		}
	}
	return entry.Imported(email, status, source, joined, rank), nil
}
