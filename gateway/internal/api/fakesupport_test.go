package api_test

import (
	"context"
	"fmt"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

type supportFake struct {
	supportv1.UnimplementedSupportServiceServer
	calls
	parts  parts
	ticket *supportv1.Ticket
	stale  bool
	mine   *supportv1.ListMyTicketsResponse
	page   *supportv1.ListTicketsResponse
	detail *supportv1.GetTicketResponse
	bulk   *supportv1.BulkUpdateTicketsResponse
	// pieces is the export by cursor; what is not there fails.
	pieces map[string]*supportv1.ExportTicketsResponse
	stats  *supportv1.GetStatsResponse
	leave  func()
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
		parts: parts{down: map[string]bool{}}, mine: &supportv1.ListMyTicketsResponse{}, page: &supportv1.ListTicketsResponse{},
		ticket: aTicket(), detail: &supportv1.GetTicketResponse{Ticket: aTicket()}, bulk: &supportv1.BulkUpdateTicketsResponse{},
		stats:  &supportv1.GetStatsResponse{Urgent: 1, High: 2, Medium: 3, Low: 4, Days: thirtyDays()},
		pieces: map[string]*supportv1.ExportTicketsResponse{"": {}},
	}
}

func (f *supportFake) CreateTicket(ctx context.Context, r *supportv1.CreateTicketRequest) (*supportv1.CreateTicketResponse, error) {
	return &supportv1.CreateTicketResponse{Ticket: f.ticket}, f.record(ctx, r)
}

func (f *supportFake) ListMyTickets(ctx context.Context, r *supportv1.ListMyTicketsRequest) (*supportv1.ListMyTicketsResponse, error) {
	return f.mine, f.record(ctx, r)
}

func (f *supportFake) ReplyToTicket(ctx context.Context, r *supportv1.ReplyToTicketRequest) (*supportv1.ReplyToTicketResponse, error) {
	return &supportv1.ReplyToTicketResponse{Ticket: f.ticket}, f.record(ctx, r)
}

func (f *supportFake) ListTickets(ctx context.Context, r *supportv1.ListTicketsRequest) (*supportv1.ListTicketsResponse, error) {
	return f.page, f.record(ctx, r)
}

func (f *supportFake) GetTicket(ctx context.Context, r *supportv1.GetTicketRequest) (*supportv1.GetTicketResponse, error) {
	return f.detail, f.record(ctx, r)
}

func (f *supportFake) UpdateTicket(ctx context.Context, r *supportv1.UpdateTicketRequest) (*supportv1.UpdateTicketResponse, error) {
	return &supportv1.UpdateTicketResponse{Ticket: f.ticket, Stale: f.stale}, f.record(ctx, r)
}

func (f *supportFake) BulkUpdateTickets(ctx context.Context, r *supportv1.BulkUpdateTicketsRequest) (*supportv1.BulkUpdateTicketsResponse, error) {
	return f.bulk, f.record(ctx, r)
}

func (f *supportFake) ExportTickets(ctx context.Context, r *supportv1.ExportTicketsRequest) (*supportv1.ExportTicketsResponse, error) {
	if err := f.record(ctx, r); err != nil {
		return nil, err
	}
	piece, ok := f.pieces[r.GetCursor()]
	if !ok {
		return nil, context.DeadlineExceeded
	}
	return piece, nil
}

func (f *supportFake) GetStats(ctx context.Context, r *supportv1.GetStatsRequest) (*supportv1.GetStatsResponse, error) {
	return f.stats, f.record(ctx, r)
}
