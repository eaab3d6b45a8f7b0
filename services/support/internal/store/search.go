package store

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/search"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

const (
	// firstLook is how many of the newest tickets are looked at first. As long as half of them have
	// the words, the next ones are looked at; then all that the index finds.
	firstLook = 200
	// look is how many they are each time.
	look = 1_000
	// fewCandidates are looked up one by one; to find more of them, the list is walked along.
	fewCandidates = 1_000
	// aroundHit is how much a snippet shows before and after the words, in bytes.
	aroundHit = 80
	// batch is how many tickets are indexed in a transaction.
	batch = 200
	// maxDocument is how much of a ticket is searched, in bytes: of more, the latest messages. A
	// customer does not wait for the index of more than maxInPassing: the task does that.
	maxDocument  = 256 << 10
	maxInPassing = 64 << 10
	// foldedFor is how long it is believed that all tickets are folded by the rules of now.
	foldedFor = time.Minute
)

// found returns the newest tickets after the cursor that have the words, and that the filter
// selects, up to a number of them.
func (s *Store) found(ctx context.Context, f Filter, words string, after Cursor, most int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	for size := firstLook; len(ids) < most; size = look {
		looked, err := s.lookAtNewest(ctx, f, words, after, size)
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
		if hits*2 < size && len(ids) < most {
			rest, err := s.findAmongCandidates(ctx, f, words, after, most-len(ids))
			return append(ids, rest...), pg.Fault(err, nil)
		}
	}
	return ids[:min(len(ids), most)], nil
}

func (s *Store) lookAtNewest(ctx context.Context, f Filter, words string, after Cursor, most int) ([]db.LookAtNewestRow, error) {
	return s.q.LookAtNewest(ctx, planned{s.pool}, db.LookAtNewestParams{
		Pattern: pg.Containing(words), Status: string(f.Status), Category: string(f.Category), Priority: string(f.Priority),
		Queue: string(f.Queue), Caller: f.Caller, Tag: f.Tag, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, Most: int32(most),
	})
}

func (s *Store) findAmongCandidates(ctx context.Context, f Filter, words string, after Cursor, most int) (ids []uuid.UUID, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// To PostgreSQL a walk through the table looks cheap: it does not count what unpacking the
		// grams of each row takes. Nor does it guess how many have the grams, and it hashes as many as there are.
		if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off; SET LOCAL work_mem = '64MB'"); err != nil {
			return err
		}
		grams, err := s.gramsOf(ctx, tx, words)
		if err != nil {
			return err
		}
		params := db.FindAmongCandidatesParams{
			Grams: grams, Pattern: pg.Containing(words), Status: string(f.Status), Category: string(f.Category),
			Priority: string(f.Priority), Queue: string(f.Queue), Caller: f.Caller, Tag: f.Tag, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, Most: int32(most),
		}
		n, err := s.q.CountCandidates(ctx, planned{tx}, db.CountCandidatesParams{Grams: params.Grams, Most: fewCandidates + 1})
		switch {
		case err != nil || n == 0:
			return err
		case n > fewCandidates:
			ids, err = s.q.WalkCandidates(ctx, planned{tx}, db.WalkCandidatesParams(params))
		default:
			ids, err = s.q.FindAmongCandidates(ctx, planned{tx}, params)
		}
		return err
	})
	return ids, err
}

// gramsOf are the grams of the words, with those where two meet once all tickets have theirs: after a new version of the rules it
// takes up to half an hour to fold 100,000 again. While a version before this one runs beside it, a ticket that it has written is
// found by one word until the task has come by.
func (s *Store) gramsOf(ctx context.Context, tx pgx.Tx, words string) ([]int32, error) {
	grams, joins := search.GramsOf(words), search.JoinsOf(words)
	if len(joins) == 0 {
		return grams, nil
	}
	now := s.clock.Now()
	if s.foldedUntil.Load() < now.UnixNano() {
		folded, err := s.q.IsFolded(ctx, tx, search.Folding)
		if err != nil || !folded {
			return grams, err
		}
		s.foldedUntil.Store(now.Add(foldedFor).UnixNano())
	}
	return slices.Concat(grams, joins), nil
}

// pageOfFound is a page of a search.
func (s *Store) pageOfFound(ctx context.Context, f Filter, words string, skip, limit int) (Page, error) {
	ids, err := s.found(ctx, f, words, keyset.Start, maxFound)
	if err != nil {
		return Page{}, err
	}
	page := Page{Total: int64(len(ids))}
	if f.Sort == Newest { // as they are
		ids, skip = ids[min(skip, len(ids)):min(skip+limit, len(ids))], 0
	}
	if page.Tickets, err = s.ticketsByID(ctx, ids, f.Sort, skip, limit); err != nil {
		return Page{}, err
	}
	page.Snippets, err = s.snippets(ctx, page.Tickets, words)
	return page, err
}

func (s *Store) ticketsByID(ctx context.Context, ids []uuid.UUID, sort Sort, skip, limit int) ([]ticket.Ticket, error) {
	rows, err := s.q.TicketsByID(ctx, s.pool, db.TicketsByIDParams{Ids: ids, Sort: string(sort), Skip: int32(skip), PageSize: int32(limit)})
	return ticketsOf(rows, func(r db.TicketsByIDRow) row { return row(r) }), pg.Fault(err, nil)
}

// snippets show where the words are, for those tickets that do not have them in their number,
// address or subject: in the latest message that has them.
func (s *Store) snippets(ctx context.Context, tickets []ticket.Ticket, words string) (map[uuid.UUID]string, error) {
	var hidden []ticket.Ticket
	var ids []uuid.UUID
	for _, t := range tickets {
		if !containsAny(words, append(spellings(t.Customer.Email), t.Label(), t.Subject)...) {
			hidden, ids = append(hidden, t), append(ids, t.ID)
		}
	}
	texts, err := s.texts(ctx, s.pool, hidden, ids)
	snippets := map[uuid.UUID]string{}
	for _, t := range hidden {
		for _, text := range slices.Backward(texts[t.ID]) {
			if snippet, ok := search.Snippet(text, words, aroundHit); ok {
				snippets[t.ID] = snippet
				break
			}
		}
	}
	return snippets, err
}

// spellings are the address as it is stored and, if that is another one, as people write it.
func spellings(email string) []string {
	if written := address.Unicode(email); written != email {
		return []string{email, written}
	}
	return []string{email}
}

func containsAny(words string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(search.Fold(text), words) })
}

// texts are what is searched of each ticket: as much as staff sees of it, the latest last.
func (s *Store) texts(ctx context.Context, tx db.DBTX, tickets []ticket.Ticket, ids []uuid.UUID) (map[uuid.UUID][]string, error) {
	threads, err := s.messages(ctx, tx, ids, wholeThread)
	if err != nil {
		return nil, err
	}
	notes, err := s.q.NotesOf(ctx, tx, ids)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	later := map[uuid.UUID][]string{}
	for _, n := range notes {
		later[n.TicketID] = append(later[n.TicketID], n.Body)
	}
	texts := map[uuid.UUID][]string{}
	for _, t := range tickets {
		for _, m := range threads[t.ID] {
			later[t.ID] = append(later[t.ID], m.Body)
		}
		texts[t.ID] = slices.Concat([]string{t.Label()}, spellings(t.Customer.Email), []string{t.Subject, string(t.Message)}, latestOf(later[t.ID], len(t.Message)))
	}
	return texts, nil
}

// latestOf are the last of the texts, as many as a document has room for beside size bytes.
func latestOf(texts []string, size int) []string {
	for i, text := range slices.Backward(texts) {
		if size += len(text); size > maxDocument {
			return texts[i+1:]
		}
	}
	return texts
}

// index has a search find the tickets, which are locked, as they are now, but for those that are
// longer than most: the task does that.
func (s *Store) index(ctx context.Context, tx pgx.Tx, most int, tickets ...ticket.Ticket) error {
	ids := make([]uuid.UUID, len(tickets))
	for i, t := range tickets {
		ids[i] = t.ID
	}
	texts, err := s.texts(ctx, tx, tickets, ids)
	if err != nil {
		return err
	}
	for i, t := range tickets {
		document := search.Document(texts[t.ID])
		if len(document) > most {
			if err := s.q.OutdateTickets(ctx, tx, ids[i:i+1]); err != nil {
				return err
			}
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
