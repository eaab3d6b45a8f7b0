package store

import (
	"context"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
)

// MaxPage is the most entries in one page of the list, MaxChunk the most in one
// piece of an export.
const (
	MaxPage  = 100
	MaxChunk = 5000
)

// Filter selects entries for a list. Zero values select everything.
type Filter struct {
	Status entry.Status
	// Search is a part of the address, taken literally, in any case. A domain may be in the
	// letters of its language.
	Search string
	// Undelivered selects entries whose approval email has bounced or was given up.
	Undelivered bool
}

// Page is one page of entries, newest first.
type Page struct {
	Entries []entry.Entry
	// Next is where the following page begins, nil on the last page.
	Next *Cursor
}

// Cursor is a place in the list.
type Cursor = keyset.Cursor

// ListCursor is the format of this list's cursors.
const ListCursor keyset.Format = 1

// List returns the page of at most limit entries that begins after the cursor,
// or the first page when after is nil.
func (s *Store) List(ctx context.Context, filter Filter, after *Cursor, limit int) (Page, error) {
	if after == nil {
		after = &keyset.Start
	}
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	// One more than asked for tells whether there is another page.
	rows, err := s.list(ctx, filter, *after, int32(limit)+1)
	if err != nil {
		return Page{}, pg.Fault(err, nil)
	}
	var page Page
	for _, row := range rows[:min(len(rows), limit)] {
		page.Entries = append(page.Entries, fromRow(row))
	}
	if len(rows) > limit {
		last := page.Entries[limit-1]
		page.Next = &Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
	return page, nil
}

// list has a statement for each shape of filter, because one statement with
// optional parts gets one plan for all and misses the index of each.
func (s *Store) list(ctx context.Context, filter Filter, after Cursor, size int32) ([]db.WaitlistUser, error) {
	pattern := patternOf(filter.Search)
	switch {
	case filter.Undelivered:
		return s.q.ListUndelivered(ctx, s.pool, db.ListUndeliveredParams{
			Status: string(filter.Status), Pattern: pattern, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	case filter.Search != "" && filter.Status != "":
		return s.q.SearchEntriesByStatus(ctx, s.pool, db.SearchEntriesByStatusParams{
			Pattern: pattern, Status: string(filter.Status), BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	case filter.Search != "":
		return s.q.SearchEntries(ctx, s.pool, db.SearchEntriesParams{
			Pattern: pattern, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	case filter.Status != "":
		return s.q.ListEntriesByStatus(ctx, s.pool, db.ListEntriesByStatusParams{
			Status: string(filter.Status), BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	default:
		return s.q.ListEntries(ctx, s.pool, db.ListEntriesParams{
			BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	}
}

// patternOf is what an address is like that has the search in it.
func patternOf(search string) string { return pg.Containing(address.Searched(search)) }

// Undelivered counts the entries whose approval email has bounced or was given up.
func (s *Store) Undelivered(ctx context.Context) (int64, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	n, err := s.q.CountUndelivered(ctx, s.pool)
	return n, pg.Fault(err, nil)
}
