package apitest

import (
	"context"
	"fmt"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

type supportFake struct {
	supportv1.UnimplementedSupportServiceServer
	Calls
	Parts  parts
	ticket *supportv1.Ticket
	Stale  bool
	Mine   *supportv1.ListMyTicketsResponse
	Page   *supportv1.ListTicketsResponse
	Detail *supportv1.GetTicketResponse
	Bulk   *supportv1.BulkUpdateTicketsResponse
	Export exported
	// Pieces is the export by cursor; what is not there fails.
	Pieces map[string]*supportv1.ExportTicketsResponse
	stats  *supportv1.GetStatsResponse
	Leave  func()
}

func thirtyDays() []*supportv1.GetStatsResponse_Day {
	days := make([]*supportv1.GetStatsResponse_Day, 30)
	for i := range days {
		days[i] = &supportv1.GetStatsResponse_Day{Day: fmt.Sprintf("2026-04-%02d", i+1), Created: int64(i), Resolved: 1}
	}
	return days
}

func newSupport() *supportFake {
	return &supportFake{
		Parts: parts{down: map[string]bool{}}, Mine: &supportv1.ListMyTicketsResponse{}, Page: &supportv1.ListTicketsResponse{},
		ticket: ATicket(), Detail: &supportv1.GetTicketResponse{Ticket: ATicket()}, Bulk: &supportv1.BulkUpdateTicketsResponse{},
		stats: &supportv1.GetStatsResponse{Urgent: 1, High: 2, Medium: 3, Low: 4, Days: thirtyDays(), FirstAnswerWeeks: []*supportv1.GetStatsResponse_Week{
			{Week: "2026-11-16", Tickets: 3, P50Seconds: 60, P90Seconds: 90},
			{Week: "2026-11-16", Category: supportv1.Category_CATEGORY_BUG, Tickets: 2, P50Seconds: 30, P90Seconds: 40},
		}},
		Pieces: map[string]*supportv1.ExportTicketsResponse{"": {}},
	}
}

func (f *supportFake) CreateTicket(ctx context.Context, r *supportv1.CreateTicketRequest) (*supportv1.CreateTicketResponse, error) {
	return &supportv1.CreateTicketResponse{Ticket: f.ticket}, f.record(ctx, r)
}

func (f *supportFake) ListMyTickets(ctx context.Context, r *supportv1.ListMyTicketsRequest) (*supportv1.ListMyTicketsResponse, error) {
	return f.Mine, f.record(ctx, r)
}

func (f *supportFake) ReplyToTicket(ctx context.Context, r *supportv1.ReplyToTicketRequest) (*supportv1.ReplyToTicketResponse, error) {
	return &supportv1.ReplyToTicketResponse{Ticket: f.ticket}, f.record(ctx, r)
}

func (f *supportFake) ListTickets(ctx context.Context, r *supportv1.ListTicketsRequest) (*supportv1.ListTicketsResponse, error) {
	return f.Page, f.record(ctx, r)
}

func (f *supportFake) GetTicket(ctx context.Context, r *supportv1.GetTicketRequest) (*supportv1.GetTicketResponse, error) {
	return f.Detail, f.record(ctx, r)
}

func (f *supportFake) UpdateTicket(ctx context.Context, r *supportv1.UpdateTicketRequest) (*supportv1.UpdateTicketResponse, error) {
	return &supportv1.UpdateTicketResponse{Ticket: f.ticket, Stale: f.Stale}, f.record(ctx, r)
}

func (f *supportFake) BulkUpdateTickets(ctx context.Context, r *supportv1.BulkUpdateTicketsRequest) (*supportv1.BulkUpdateTicketsResponse, error) {
	return f.Bulk, f.record(ctx, r)
}

func (f *supportFake) ExportTickets(ctx context.Context, r *supportv1.ExportTicketsRequest) (*supportv1.ExportTicketsResponse, error) {
	if err := f.record(ctx, r); err != nil {
		return nil, err
	}
	piece, ok := f.Pieces[r.GetCursor()]
	if !ok {
		return nil, context.DeadlineExceeded
	}
	return piece, nil
}

func (f *supportFake) GetStats(ctx context.Context, r *supportv1.GetStatsRequest) (*supportv1.GetStatsResponse, error) {
	return f.stats, f.record(ctx, r)
}

func (f *supportFake) GetDesk(ctx context.Context, r *supportv1.GetDeskRequest) (*supportv1.GetDeskResponse, error) {
	return &supportv1.GetDeskResponse{
		Notices: supportv1.Notices_NOTICES_HOURLY,
		Staff:   []*supportv1.StaffMember{{Id: OtherID, Email: "staff@example.com"}},
		Answers: []*supportv1.CannedAnswer{{Id: AnyID, Title: "Update", Body: "Hi {{name}}"}},
	}, f.record(ctx, r)
}

func (f *supportFake) EditTicket(ctx context.Context, r *supportv1.EditTicketRequest) (*supportv1.EditTicketResponse, error) {
	return &supportv1.EditTicketResponse{Ticket: f.ticket}, f.record(ctx, r)
}

func (f *supportFake) AddNote(ctx context.Context, r *supportv1.AddNoteRequest) (*supportv1.AddNoteResponse, error) {
	return &supportv1.AddNoteResponse{Note: &supportv1.Note{Id: AnyID, Body: r.GetNote(), AuthorEmail: "staff@example.com"}}, f.record(ctx, r)
}

func (f *supportFake) SetNotices(ctx context.Context, r *supportv1.SetNoticesRequest) (*supportv1.SetNoticesResponse, error) {
	return &supportv1.SetNoticesResponse{}, f.record(ctx, r)
}

func (f *supportFake) ViewTicket(ctx context.Context, r *supportv1.ViewTicketRequest) (*supportv1.ViewTicketResponse, error) {
	return &supportv1.ViewTicketResponse{Others: []*supportv1.Viewer{{Email: "staff@example.com", Writing: true}}}, f.record(ctx, r)
}

func (f *supportFake) OpenTicketFor(ctx context.Context, r *supportv1.OpenTicketForRequest) (*supportv1.OpenTicketForResponse, error) {
	return &supportv1.OpenTicketForResponse{Ticket: f.ticket}, f.record(ctx, r)
}

func (f *supportFake) SaveCannedAnswer(ctx context.Context, r *supportv1.SaveCannedAnswerRequest) (*supportv1.SaveCannedAnswerResponse, error) {
	return &supportv1.SaveCannedAnswerResponse{Answer: &supportv1.CannedAnswer{Id: AnyID, Title: r.GetTitle(), Body: r.GetBody()}}, f.record(ctx, r)
}

func (f *supportFake) DeleteCannedAnswer(ctx context.Context, r *supportv1.DeleteCannedAnswerRequest) (*supportv1.DeleteCannedAnswerResponse, error) {
	return &supportv1.DeleteCannedAnswerResponse{}, f.record(ctx, r)
}

func (f *supportFake) ListMessages(ctx context.Context, r *supportv1.ListMessagesRequest) (*supportv1.ListMessagesResponse, error) {
	return &supportv1.ListMessagesResponse{Messages: f.Detail.GetMessages(), Earlier: true}, f.record(ctx, r)
}

func (f *supportFake) ListMyMessages(ctx context.Context, r *supportv1.ListMyMessagesRequest) (*supportv1.ListMyMessagesResponse, error) {
	return &supportv1.ListMyMessagesResponse{Earlier: true}, f.record(ctx, r)
}
