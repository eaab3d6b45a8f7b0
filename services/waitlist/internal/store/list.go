package store

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
)

// MaxPage is the most entries in one page.
const MaxPage = 100

// Filter selects entries for a list. Zero values select everything.
type Filter struct {
	Status entry.Status
	// Search is a part of the address, taken literally, in any case.
	Search string
}

// Page is one page of entries, newest first.
type Page struct {
	Entries []entry.Entry
	// Next is where the following page begins, nil on the last page.
	Next *Cursor
}

// Cursor is a place in the list: after the entry with these keys. Entries that
// are added meanwhile neither repeat nor hide others on later pages.
type Cursor struct {
	CreatedAt time.Time
	ID        uuid.UUID
}

// cursorFormat leads an encoded cursor, so that old ones can be told apart
// should the order of the list ever change.
const cursorFormat = 1

const cursorSize = 1 + 8 + 16

// ErrCursor says that a string is not an encoded Cursor.
var ErrCursor = errors.New("store: not a cursor")

// Encode returns the cursor as an opaque string for a URL.
func (c Cursor) Encode() string {
	raw := make([]byte, 0, cursorSize)
	raw = append(raw, cursorFormat)
	raw = binary.BigEndian.AppendUint64(raw, uint64(c.CreatedAt.UnixMicro()))
	raw = append(raw, c.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// DecodeCursor reverses Encode. It accepts exactly what Encode makes, with times
// that Postgres can hold.
func DecodeCursor(s string) (Cursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(raw) != cursorSize || raw[0] != cursorFormat || strings.ContainsAny(s, "\r\n") {
		return Cursor{}, ErrCursor
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(raw[1:]))).UTC()
	if at.Year() < 2000 || at.Year() > 9999 {
		return Cursor{}, ErrCursor
	}
	return Cursor{CreatedAt: at, ID: uuid.UUID(raw[9:])}, nil
}

// start lies before the newest entry there can be.
var start = Cursor{CreatedAt: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), ID: uuid.Max}

// List returns the page of at most limit entries that begins after the cursor,
// or the first page when after is nil.
func (s *Store) List(ctx context.Context, filter Filter, after *Cursor, limit int) (Page, error) {
	if after == nil {
		after = &start
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
	switch {
	case filter.Search != "":
		return s.q.SearchEntries(ctx, s.pool, db.SearchEntriesParams{
			Pattern: "%" + escapeLike(strings.ToLower(filter.Search)) + "%", Statuses: statuses(filter.Status),
			BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
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

func statuses(only entry.Status) []string {
	if only != "" {
		return []string{string(only)}
	}
	return []string{string(entry.Pending), string(entry.Approved), string(entry.Rejected)}
}

// escapeLike makes LIKE take every character of s literally.
func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}
