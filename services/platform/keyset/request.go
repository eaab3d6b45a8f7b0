package keyset

import (
	"fmt"

	"fledge.dev/services/platform/fault"
)

// After reads the field cursor of a request; nil is for the first page.
func (f Format) After(cursor string) (*Cursor, error) {
	if cursor == "" {
		return nil, nil
	}
	after, err := f.Decode(cursor)
	if err != nil {
		return nil, fault.InvalidField("cursor", "The cursor is not valid.")
	}
	return &after, nil
}

// Limit reads the field limit of a request, of which 0 is for the usual page.
func Limit(limit int32, usual, most int) (int, error) {
	if limit == 0 {
		return usual, nil
	}
	if limit < 1 || int(limit) > most {
		return 0, fault.InvalidField("limit", fmt.Sprintf("The limit must be between 1 and %d.", most))
	}
	return int(limit), nil
}
