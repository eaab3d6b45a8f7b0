package ledger

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/store/db"
)

// MaxPage is the most entries in one page.
const MaxPage = 100

// Entry is one thing that happened to an account.
type Entry struct {
	// Number counts the account's entries, from 1 and without a gap.
	Number int64
	Time   time.Time
	// Kind is "grant", "consume", "expire", "clawback" or "adjust".
	Kind string
	// Amount was added to the balance.
	Amount int64
	// BalanceAfter includes held credits.
	BalanceAfter int64
	Description  string
	// Paid is what was paid of the invoice of a grant, in hundredths of Currency ("usd"); 0 where
	// nothing was paid or is known.
	Paid     int64
	Currency string
}

// Day is what was spent on a day.
type Day struct {
	// Start is the day's first instant, in UTC.
	Start  time.Time
	Amount int64
}

// History is one page of an account's entries, newest first.
type History struct {
	Entries []Entry
	// Next is where the following page begins; zero on the last page.
	Next Cursor
	// Days are the last 30, the oldest first.
	Days []Day
}

// Cursor is a place in the history: the entries before this number. The zero
// Cursor is the beginning.
type Cursor int64

// cursorFormat leads an encoded cursor, so that old ones can be told apart if
// the order ever changes.
const cursorFormat = 1

const cursorSize = 1 + 8

// ErrCursor says that a string is not an encoded Cursor.
var ErrCursor = errors.New("ledger: not a cursor")

// Encode returns the cursor as an opaque string for a URL; "" for the zero one.
func (c Cursor) Encode() string {
	if c == 0 {
		return ""
	}
	raw := binary.BigEndian.AppendUint64([]byte{cursorFormat}, uint64(c))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// DecodeCursor reverses Encode and accepts exactly what it makes.
func DecodeCursor(s string) (Cursor, error) {
	if s == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(raw) != cursorSize || raw[0] != cursorFormat || strings.ContainsAny(s, "\r\n") {
		return 0, ErrCursor
	}
	c := Cursor(binary.BigEndian.Uint64(raw[1:]))
	if c < 1 {
		return 0, ErrCursor
	}
	return c, nil
}

const days = 30

// History returns at most limit entries from the cursor on, and what was spent on
// each of the last 30 days.
func (l *Ledger) History(ctx context.Context, userID uuid.UUID, from Cursor, limit int) (History, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Deadline)
	defer cancel()
	before := int64(from)
	if from == 0 {
		before = 1<<63 - 1
	}
	// One more than asked for tells whether there is another page.
	rows, err := l.q.ListEntries(ctx, l.pool, db.ListEntriesParams{UserID: userID, Before: before, PageSize: int32(limit) + 1})
	if err != nil {
		return History{}, databaseFault(err)
	}
	today := l.clock.Now().UTC().Truncate(24 * time.Hour)
	spent, err := l.q.DailySpend(ctx, l.pool, db.DailySpendParams{FirstDay: today.AddDate(0, 0, 1-days), UserID: userID})
	if err != nil {
		return History{}, databaseFault(err)
	}
	var h History
	for _, row := range rows[:min(len(rows), limit)] {
		h.Entries = append(h.Entries, Entry{
			Number: row.Number, Time: row.Time.UTC(), Kind: row.Kind, Amount: row.Amount, BalanceAfter: row.BalanceAfter, Description: row.Description,
			Paid: row.Paid, Currency: row.Currency,
		})
	}
	if len(rows) > limit {
		h.Next = Cursor(h.Entries[limit-1].Number)
	}
	for _, day := range spent {
		h.Days = append(h.Days, Day{Start: day.Day.UTC(), Amount: day.Amount})
	}
	return h, nil
}
