package store

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Cursor is a place in the list of accounts: after the one with these keys.
// Accounts that are added meanwhile neither repeat nor hide others on later pages.
type Cursor struct {
	CreatedAt time.Time
	ID        uuid.UUID
}

// cursorFormat leads an encoded cursor, so that old ones can be told apart
// should the order of the list ever change. It is not the waitlist's: a cursor
// of another list is none of this one.
const cursorFormat = 'u'

const cursorSize = 1 + 8 + 16

// ErrCursor says that a string is not an encoded Cursor.
var ErrCursor = errors.New("store: not a cursor")

// start lies before the newest account there can be.
var start = Cursor{CreatedAt: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), ID: uuid.Max}

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
