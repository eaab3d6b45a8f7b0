package store

import (
	"context"

	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/store/db"
)

// ExportTables are what a person takes along of the waitlist: what Erase deletes, and the emails to
// those addresses.
func (s *Store) ExportTables() []export.Table {
	invited := func(table export.Table) export.Table {
		read := table.Read
		table.Read = func(ctx context.Context, account export.Account, after string) (_ []export.Row, err error) {
			account.Emails, err = s.q.ExportedAddresses(ctx, s.pool, db.ExportedAddressesParams{Emails: account.Emails, Account: account.ID})
			if err != nil {
				return nil, err
			}
			return read(ctx, account, after)
		}
		return table
	}
	return []export.Table{
		{
			File: "waitlist", About: "Your place on the waitlist of the closed beta: when and where you signed up, and whether you were let in.",
			Read: func(ctx context.Context, account export.Account, _ string) ([]export.Row, error) {
				entries, err := s.q.ExportEntries(ctx, s.pool, db.ExportEntriesParams{Emails: account.Emails, Account: account.ID})
				return export.Unkeyed(entries), err
			},
		},
		{
			File: "waitlist-unconfirmed", About: "A sign-up for the waitlist whose address is yet to be confirmed.",
			Read: func(ctx context.Context, account export.Account, _ string) ([]export.Row, error) {
				signUps, err := s.q.ExportUnconfirmed(ctx, s.pool, account.Emails)
				return export.Unkeyed(signUps), err
			},
		},
		invited(mail.ExportTable(s.pool)),
		invited(mail.ReportsTable(s.pool)),
	}
}
