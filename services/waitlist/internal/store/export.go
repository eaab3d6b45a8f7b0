package store

import (
	"context"
	"slices"

	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/store/db"
)

// ExportTables are what a person takes along of the waitlist.
func (s *Store) ExportTables() []export.Table {
	return []export.Table{
		{
			File: "waitlist", About: "Your place on the waitlist of the closed beta: when and where you signed up, whether you were let in, when we sent the invitation, and which other account uses it.",
			Read: func(ctx context.Context, account export.Account, _ string) ([]export.Row, error) {
				entries, err := s.q.ExportEntries(ctx, s.pool, db.ExportEntriesParams{Emails: account.Emails, Account: account.ID})
				return export.Unkeyed(entries), err
			},
		},
		s.exportEmails(),
	}
}

// exportEmails are the emails to the account's addresses, and to those whose invitation it has
// claimed.
func (s *Store) exportEmails() export.Table {
	emails := mail.ExportTable(s.pool)
	read := emails.Read
	emails.Read = func(ctx context.Context, account export.Account, after string) ([]export.Row, error) {
		claimed, err := s.q.ClaimedAddresses(ctx, s.pool, account.ID)
		if err != nil {
			return nil, err
		}
		account.Emails = slices.Concat(account.Emails, claimed)
		return read(ctx, account, after)
	}
	return emails
}
