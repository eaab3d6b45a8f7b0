package store

import "fledge.dev/services/platform/keyset"

// Cursor is a place in the list.
type Cursor keyset.Cursor

// cursorFormat is this list's own: the waitlist's cursors are none here.
const cursorFormat keyset.Format = 'u'

// start lies before the newest account there can be.
var start = Cursor(keyset.Start)

// Encode returns the cursor as an opaque string for a URL.
func (c Cursor) Encode() string { return cursorFormat.Encode(keyset.Cursor(c)) }

// DecodeCursor reverses Encode; it fails with keyset.ErrCursor.
func DecodeCursor(s string) (Cursor, error) {
	c, err := cursorFormat.Decode(s)
	return Cursor(c), err
}
