package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/entry"
)

// importDeadline bounds a part of an import, which is no click that somebody
// waits for.
const importDeadline = 15 * time.Second

// ImportPart is a part of a file of addresses.
type ImportPart struct {
	// ID names the import, which may have several parts.
	ID string
	// Emails are the lines that hold an address; one may occur more than once.
	Emails []entry.Email
	// Invalid counts the lines that hold none; First and Last are where the part
	// begins and ends in the file.
	Invalid, First, Last int
}

// Import puts new addresses on the list, in one transaction with the audit
// record, and reports for each whether it is new. Known ones stay as they
// are, whatever their state.
func (s *Store) Import(ctx context.Context, part ImportPart) (isNew []bool, err error) {
	if len(part.Emails) == 0 {
		return nil, nil
	}
	now := s.clock.Now()
	entries := make([]entry.Entry, len(part.Emails))
	for i, email := range part.Emails {
		entries[i] = entry.New(email, entry.Import, now)
	}
	ctx, cancel := context.WithTimeout(ctx, importDeadline)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if isNew, err = s.signUpWith(ctx, tx, entries); err != nil {
			return err
		}
		return recordImport(ctx, tx, part, isNew)
	})
	return isNew, pg.Fault(err, nil)
}

func recordImport(ctx context.Context, tx pgx.Tx, part ImportPart, isNew []bool) error {
	added := 0
	for _, is := range isNew {
		if is {
			added++
		}
	}
	if added == 0 {
		return nil
	}
	return staff.Record(ctx, tx, audit.Action{
		Name: Imported, Subject: part.ID,
		After: audit.State{
			"added": added, "known": len(isNew) - added, "invalid": part.Invalid, "first_line": part.First, "last_line": part.Last,
		},
	})
}
