package store

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/search"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

const (
	// firstLook is how many of the newest tickets are looked at first. As long as half of them have
	// the words, the next ones are looked at; then those that the index finds.
	firstLook = 200
	// look is how many they are each time.
	look = 1_000
	// aroundHit is how much a snippet shows before and after the words, in bytes.
	aroundHit = 80
	// batch is how many tickets are indexed in a transaction.
	batch = 200
	// maxDocument is how much of a ticket is searched, in bytes: of more, the latest messages. A
	// customer does not wait for the index of more than maxInPassing: the task does that.
	maxDocument  = 256 << 10
	maxInPassing = 64 << 10
)

// found returns the newest tickets after the cursor that have the words, and that the filter
// selects, up to a number of them.
func (s *Store) found(ctx context.Context, f Filter, words string, after Cursor, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	next, size := s.lookAtNewest, firstLook
	for len(ids) < most {
		looked, err := next(ctx, f, words, after, size)
		if err != nil {
			return nil, pg.Fault(err, nil)
		}
		hits := 0
		for _, l := range looked {
			if l.Hit {
				ids, hits = append(ids, l.ID), hits+1
			}
		}
		if len(looked) < size {
			break // the end of the list
		}
		last := looked[len(looked)-1]
		after = Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
		if hits*2 < size {
			next = s.lookAtCandidates
		}
		size = look
	}
	return ids[:min(len(ids), most)], nil
}

type looked = db.LookAtNewestRow

func (s *Store) lookAtNewest(ctx context.Context, f Filter, words string, after Cursor, most int) ([]looked, error) {
	return s.q.LookAtNewest(ctx, planned{s.pool}, db.LookAtNewestParams{
		Pattern: pg.Containing(words), Status: string(f.Status), Category: string(f.Category), Priority: string(f.Priority),
		BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, Most: int32(most),
	})
}

func (s *Store) lookAtCandidates(ctx context.Context, f Filter, words string, after Cursor, most int) (list []looked, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// To PostgreSQL a walk through the table looks cheap: it does not count what unpacking the
		// grams of each row takes.
		if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		rows, err := s.q.LookAtCandidates(ctx, planned{tx}, db.LookAtCandidatesParams{
			Grams: search.GramsOf(words), Pattern: pg.Containing(words), Status: string(f.Status), Category: string(f.Category),
			Priority: string(f.Priority), BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, Most: int32(most),
		})
		for _, r := range rows {
			list = append(list, looked(r))
		}
		return err
	})
	return list, err
}

// pageOfFound is a page of a search.
func (s *Store) pageOfFound(ctx context.Context, f Filter, words string, skip, limit int) (Page, error) {
	ids, err := s.found(ctx, f, words, keyset.Start, maxFound)
	if err != nil {
		return Page{}, err
	}
	page := Page{Total: int64(len(ids))}
	ids = ids[min(skip, len(ids)):min(skip+limit, len(ids))]
	if page.Tickets, err = s.ticketsByID(ctx, ids); err != nil {
		return Page{}, err
	}
	page.Snippets, err = s.snippets(ctx, page.Tickets, words)
	return page, err
}

func (s *Store) ticketsByID(ctx context.Context, ids []uuid.UUID) ([]ticket.Ticket, error) {
	rows, err := s.q.TicketsByID(ctx, s.pool, ids)
	return ticketsOf(rows, func(r db.TicketsByIDRow) row { return row(r) }), pg.Fault(err, nil)
}

// snippets show where the words are, for those tickets that do not have them in their number,
// address or subject: in the latest message that has them.
func (s *Store) snippets(ctx context.Context, tickets []ticket.Ticket, words string) (map[uuid.UUID]string, error) {
	var hidden []ticket.Ticket
	var ids []uuid.UUID
	for _, t := range tickets {
		if !containsAny(words, t.Label(), t.Customer.Email, t.Subject) {
			hidden, ids = append(hidden, t), append(ids, t.ID)
		}
	}
	threads, err := s.messages(ctx, s.pool, ids, wholeThread)
	snippets := map[uuid.UUID]string{}
	for _, t := range hidden {
		for _, text := range slices.Backward(textsOf(t, threads[t.ID])) {
			if snippet, ok := search.Snippet(text, words, aroundHit); ok {
				snippets[t.ID] = snippet
				break
			}
		}
	}
	return snippets, err
}

func containsAny(words string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(search.Fold(text), words) })
}

// textsOf is what is searched of a ticket: as much as staff sees of it.
func textsOf(t ticket.Ticket, thread []ticket.Message) []string {
	texts := []string{t.Label(), t.Customer.Email, t.Subject, string(t.Message)}
	size := len(t.Message)
	for i, m := range slices.Backward(thread) {
		if size += len(m.Body); size > maxDocument {
			thread = thread[i+1:]
			break
		}
	}
	for _, m := range thread {
		texts = append(texts, m.Body)
	}
	return texts
}

// index has a search find the tickets, which are locked, as they are now, but for those that are
// longer than most.
func (s *Store) index(ctx context.Context, tx pgx.Tx, most int, tickets ...ticket.Ticket) error {
	ids := make([]uuid.UUID, len(tickets))
	for i, t := range tickets {
		ids[i] = t.ID
	}
	threads, err := s.messages(ctx, tx, ids, wholeThread)
	if err != nil {
		return err
	}
	for _, t := range tickets {
		document := search.Document(textsOf(t, threads[t.ID]))
		if len(document) > most {
			continue
		}
		err := s.q.IndexTicket(ctx, tx, db.IndexTicketParams{
			TicketID: t.ID, Version: t.Version, Folding: search.Folding, Folded: document, Grams: search.Grams(document),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// IndexOutdated indexes, the newest first, the tickets that were not, because they are long or a version
// of the service before this one wrote them.
func (s *Store) IndexOutdated(ctx context.Context) error {
	for after, n := keyset.Start, batch; n == batch; {
		err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			rows, err := s.q.LockOutdated(ctx, tx, db.LockOutdatedParams{
				Folding: search.Folding, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, Most: batch,
			})
			if n = len(rows); n == 0 || err != nil {
				return err
			}
			after = Cursor{CreatedAt: rows[n-1].CreatedAt, ID: rows[n-1].ID}
			return s.index(ctx, tx, math.MaxInt, ticketsOf(rows, func(r db.LockOutdatedRow) row { return row(r) })...)
		})
		if err != nil {
			return pg.Fault(err, nil)
		}
	}
	return nil
}

// Indexing is the task that calls IndexOutdated.
func (s *Store) Indexing() periodic.Task {
	return periodic.Task{Name: "ticket_search", Every: time.Minute, Timeout: time.Hour, Exclusive: true, Run: s.IndexOutdated}
}
