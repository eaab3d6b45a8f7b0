package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/periodic"
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
	pattern, spelled := patternOf(filter.Search), spelledPatternOf(filter.Search)
	switch {
	case filter.Undelivered:
		return s.q.ListUndelivered(ctx, s.pool, db.ListUndeliveredParams{
			Status: string(filter.Status), Pattern: pattern, Spelled: spelled, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	case filter.Search != "" && filter.Status != "":
		return s.q.SearchEntriesByStatus(ctx, s.pool, db.SearchEntriesByStatusParams{
			Pattern: pattern, Spelled: spelled, Status: string(filter.Status), BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	case filter.Search != "":
		return s.q.SearchEntries(ctx, s.pool, db.SearchEntriesParams{
			Pattern: pattern, Spelled: spelled, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
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

// patternOf is what an address is like that has the search in it. No address has a space: by one, the search has several
// parts, in this order, as a name has.
func patternOf(search string) string { return inParts(address.Searched(search)) }

// spelledPatternOf is patternOf for an address in the letters of its domain's language.
func spelledPatternOf(search string) string { return inParts(address.SearchedUnicode(search)) }

func inParts(search string) string { return strings.ReplaceAll(pg.Containing(search), " ", "%") }

// spelled is the address in the letters of its domain's language, "" if those are ASCII.
func spelled(email string) string {
	if !strings.Contains(email, "xn--") {
		return ""
	}
	return address.Unicode(email)
}

// maxUnspelled is how many entries a run of Spelling looks at.
const maxUnspelled = 1000

// Spelling is the task that writes the letters of the domains of entries that the previous version of the service
// has written, which did not.
func (s *Store) Spelling() periodic.Task {
	return periodic.Task{Name: "waitlist_spelling", Every: time.Hour, Timeout: 10 * time.Minute, Exclusive: true, Run: func(ctx context.Context) error {
		for {
			if n, err := s.spell(ctx); err != nil || n == 0 {
				return pg.Fault(err, nil)
			}
		}
	}}
}

// spell writes the letters of some entries and returns how many.
func (s *Store) spell(ctx context.Context) (n int, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		rows, err := s.q.Unspelled(ctx, tx, maxUnspelled)
		if n = len(rows); err != nil || n == 0 {
			return err
		}
		p := db.SetSpelledParams{}
		for _, row := range rows {
			p.Ids, p.Spelled, p.ClaimedSpelled = append(p.Ids, row.ID), append(p.Spelled, spelled(row.Email)), append(p.ClaimedSpelled, spelled(row.ClaimedEmail))
		}
		return s.q.SetSpelled(ctx, tx, p)
	})
	return n, err
}

// Undelivered counts the entries whose approval email has bounced or was given up.
func (s *Store) Undelivered(ctx context.Context) (int64, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	n, err := s.q.CountUndelivered(ctx, s.pool)
	return n, pg.Fault(err, nil)
}
