package store

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
)

// ExportAccount names the account as the services know it: its id, and its addresses.
func (s *Store) ExportAccount(ctx context.Context, id uuid.UUID) (export.Account, error) {
	user, err := s.User(ctx, id)
	if err != nil {
		return export.Account{}, err
	}
	return s.exported(ctx, user)
}

// ExportAccountOf names the account with the address or id; ErrUnknownUser unless there is one.
func (s *Store) ExportAccountOf(ctx context.Context, who string) (export.Account, error) {
	found, err := s.Person(ctx, strings.TrimSpace(who))
	if err != nil {
		return export.Account{}, err
	}
	return s.exported(ctx, found.User)
}

// exported is the account with the addresses that it has and had.
func (s *Store) exported(ctx context.Context, user account.User) (export.Account, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	former, err := s.q.FormerEmails(ctx, s.pool, user.ID)
	return export.Account{ID: user.ID, Emails: append([]string{user.Email}, former...)}, pg.Fault(err, ErrUnknownUser)
}

// RecordExport tells the audit log that the account was exported, by whom ctx names.
func (s *Store) RecordExport(ctx context.Context, account export.Account) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return records.Record(ctx, tx, audit.Action{Name: AccountExported, Subject: account.ID.String(), Label: account.Emails[0]})
	})
}

// ExportTables are what a person takes along: all that FinishErasure erases.
func (s *Store) ExportTables() []export.Table {
	pool := db.DBTX(s.pool)
	return []export.Table{
		{File: "account", About: "Your account: your address, how and when you sign in, and whether it is disabled or will be erased.", Read: export.Whole(pool, s.q.ExportAccount)},
		{File: "roles", About: "What you may do here. Everybody is a user.", Read: export.Whole(pool, s.q.ExportRoles)},
		{File: "devices", About: "The browsers and Macs that you are signed in on, and for 30 days those that you were. The address and the user agent are those of the last use.", Read: export.Page(pool, s.q.ExportDevices)},
		{File: "mac-sign-ins", About: "The sign-ins of the last day that a browser handed over to a Mac.", Read: export.Whole(pool, s.q.ExportHandOffs)},
		{File: "staff-actions-on-you", About: "What our staff changed about your account, and your place on the waitlist.", Read: s.exportActionsOn},
		{File: "your-staff-actions", About: "What you changed as a member of our staff.", Read: export.Page(pool, s.q.ExportActionsBy)},
		mail.ExportTable(s.pool),
		mail.ReportsTable(s.pool),
	}
}

func (s *Store) exportActionsOn(ctx context.Context, account export.Account, after string) ([]export.Row, error) {
	rows, err := s.q.ExportActionsOn(ctx, s.pool, db.ExportActionsOnParams{
		UserID: account.ID.String(), Emails: account.Emails, After: after, Count: export.PageSize,
	})
	return export.Rows(rows), err
}
