package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/mail"
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
	// Entries are of the lines that can be read; an address may occur more than once, of which the first counts.
	Entries []entry.Entry
	// Reports are what was reported of the addresses of entries, by the entry's id.
	Reports map[uuid.UUID]mail.Report
	// Invalid counts the lines that cannot be read; First and Last are where the part
	// begins and ends in the file.
	Invalid, First, Last int
}

// Import puts new addresses on the list, in one transaction with the audit
// record, and reports for each whether it is new. Known ones stay as they
// are, whatever their state.
func (s *Store) Import(ctx context.Context, part ImportPart) (isNew []bool, err error) {
	if len(part.Entries) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, importDeadline)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.q.LockImport(ctx, tx); err != nil {
			return err
		}
		if isNew, err = s.add(ctx, tx, part.Entries, s.clock.Now()); err != nil {
			return err
		}
		if err := suppress(ctx, tx, part, isNew); err != nil {
			return err
		}
		return recordImport(ctx, tx, part, isNew)
	})
	return isNew, pg.Fault(err, nil)
}

// suppress notes what was reported of the new addresses.
func suppress(ctx context.Context, tx pgx.Tx, part ImportPart, isNew []bool) error {
	var reports []mail.Report
	for i, e := range part.Entries {
		if r, ok := part.Reports[e.ID]; ok && isNew[i] {
			reports = append(reports, r)
		}
	}
	if len(reports) == 0 {
		return nil
	}
	return mail.Suppress(ctx, tx, reports)
}

// Reports returns what was reported of the addresses of entries and keeps emails from them, by address.
func (s *Store) Reports(ctx context.Context, entries []entry.Entry) (map[string]mail.Report, error) {
	addresses := make([]string, len(entries))
	for i, e := range entries {
		addresses[i] = e.Email.String()
	}
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	found, err := mail.Suppressions(ctx, s.pool, addresses)
	return found, pg.Fault(err, nil)
}

// PreviewImport reports what Import would.
func (s *Store) PreviewImport(ctx context.Context, part ImportPart) (isNew []bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, importDeadline)
	defer cancel()
	emails := make([]string, len(part.Entries))
	for i, e := range part.Entries {
		emails[i] = e.Email.String()
	}
	known, err := s.q.KnownEmails(ctx, s.pool, emails)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	seen := make(map[string]bool, len(known))
	for _, email := range known {
		seen[email] = true
	}
	isNew = make([]bool, len(emails))
	for i, email := range emails {
		isNew[i], seen[email] = !seen[email], true
	}
	return isNew, nil
}

func recordImport(ctx context.Context, tx pgx.Tx, part ImportPart, isNew []bool) error {
	added, approved, rejected := 0, 0, 0
	for i, e := range part.Entries {
		if !isNew[i] {
			continue
		}
		added++
		switch e.Status {
		case entry.Approved:
			approved++
		case entry.Rejected:
			rejected++
		case entry.Pending:
		}
	}
	if added == 0 {
		return nil
	}
	return staff.Record(ctx, tx, audit.Action{
		Name: Imported, Subject: part.ID,
		After: audit.State{
			"added": added, "approved": approved, "rejected": rejected, "known": len(isNew) - added, "invalid": part.Invalid,
			"first_line": part.First, "last_line": part.Last,
		},
	})
}
