// Package keyset implements keyset pagination for lists that are read newest first: each
// page begins after the keys of the last row of the page before.
package keyset

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Cursor is a place in a list: after the row with these keys. Rows that are added
// meanwhile neither repeat nor hide others on later pages.
type Cursor struct {
	CreatedAt time.Time
	ID        uuid.UUID
}

// Start lies before the newest row there can be.
var Start = Cursor{CreatedAt: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), ID: uuid.Max}

// Format leads an encoded cursor, so that one of another list, or of another order
// of the same list, can be told apart.
type Format byte

const size = 1 + 8 + 16

// ErrCursor says that a string is not a cursor of the format.
var ErrCursor = errors.New("keyset: not a cursor")

// Encode returns the cursor as an opaque string for a URL.
func (f Format) Encode(c Cursor) string {
	raw := make([]byte, 0, size)
	raw = append(raw, byte(f))
	raw = binary.BigEndian.AppendUint64(raw, uint64(c.CreatedAt.UnixMicro()))
	raw = append(raw, c.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Decode reverses Encode. It accepts exactly what Encode makes, with times that
// Postgres can hold.
func (f Format) Decode(s string) (Cursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(raw) != size || raw[0] != byte(f) || strings.ContainsAny(s, "\r\n") {
		return Cursor{}, ErrCursor
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(raw[1:]))).UTC()
	if at.Year() < 2000 || at.Year() > 9999 {
		return Cursor{}, ErrCursor
	}
	return Cursor{CreatedAt: at, ID: uuid.UUID(raw[9:])}, nil
}
