package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/search"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

const (
	// MaxPage is the most tickets in one page.
	MaxPage = 100
	// maxTotal is where counting ends, and maxFound where a search does: each found
	// ticket has to be read to be sure of it.
	maxTotal = 200_000
	maxFound = 500
)

// Queue is work that is to be done, on tickets that are open or in progress.
type Queue string

// The queues.
const (
	Waiting    Queue = "waiting"
	Mine       Queue = "mine"
	Unassigned Queue = "unassigned"
)

// Sort is the order of a list.
type Sort string

// The orders; in Longest, those whom nobody keeps waiting come last.
const (
	Newest  Sort = ""
	Longest Sort = "waiting"
)

// Filter selects tickets. Zero values select everything.
type Filter struct {
	Status   ticket.Status
	Category ticket.Category
	Priority ticket.Priority
	// Queue selects the work of staff; Mine is that of Caller.
	Queue  Queue
	Caller uuid.UUID
	Tag    string
	// Search is a part of the number, the address, the subject, a message or a note, taken
	// literally, as package search compares.
	Search string
	// Sort is the order of pages.
	Sort Sort
}

// Page is one page of the list, and how many tickets the filter selects. A larger
// total than can be counted is given as the largest that can.
type Page struct {
	Tickets []ticket.Ticket
	Total   int64
	// Snippets show where a search has found what only the messages have.
	Snippets map[uuid.UUID]string
}

// List returns a page of the tickets; pages count from 1. A page
// past the end is empty and still tells the total.
func (s *Store) List(ctx context.Context, f Filter, page, limit int) (Page, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	if words := search.Fold(f.Search); words != "" {
		return s.pageOfFound(ctx, f, words, (page-1)*limit, limit)
	}
	skip := int64(page-1) * int64(limit)
	var tickets []ticket.Ticket
	if skip < maxTotal {
		rows, err := s.q.PageOfTickets(ctx, planned{s.pool}, db.PageOfTicketsParams{
			Status: string(f.Status), Category: string(f.Category), Priority: string(f.Priority),
			Queue: string(f.Queue), Caller: f.Caller, Tag: f.Tag, Sort: string(f.Sort), Skip: int32(skip), PageSize: int32(limit),
		})
		if err != nil {
			return Page{}, pg.Fault(err, nil)
		}
		tickets = ticketsOf(rows, func(r db.PageOfTicketsRow) row { return row(r) })
	}
	if n := len(tickets); n > 0 && n < limit {
		return Page{Tickets: tickets, Total: skip + int64(n)}, nil // the end of the list
	}
	total, err := s.q.CountTickets(ctx, planned{s.pool}, db.CountTicketsParams{
		Status: string(f.Status), Category: string(f.Category), Priority: string(f.Priority),
		Queue: string(f.Queue), Caller: f.Caller, Tag: f.Tag, Most: maxTotal,
	})
	return Page{Tickets: tickets, Total: total}, pg.Fault(err, nil)
}

func ticketsOf[R any](rows []R, common func(R) row) []ticket.Ticket {
	tickets := make([]ticket.Ticket, len(rows))
	for i, r := range rows {
		tickets[i] = fromRow(common(r))
	}
	return tickets
}

// planned has each statement planned again with its values: a filter that is not set
// wants nothing at all.
type planned struct{ db.DBTX }

func (p planned) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return p.DBTX.Query(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

func (p planned) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return p.DBTX.QueryRow(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}
