package store

import (
	"context"

	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/mail"
)

// ExportTables are what a person takes along of the waitlist.
func (s *Store) ExportTables() []export.Table {
	return []export.Table{
		{
			File: "waitlist", About: "Your place on the waitlist of the closed beta: when and where you signed up, and whether you were let in.",
			Read: func(ctx context.Context, account export.Account, _ string) ([]export.Row, error) {
				entries, err := s.q.ExportEntries(ctx, s.pool, account.Emails)
				return export.Unkeyed(entries), err
			},
		},
		mail.ExportTable(s.pool),
	}
}
