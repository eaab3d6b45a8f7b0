package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/auditlog"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/pg"
)

// AuditPage is one page of the audit log, newest first.
type AuditPage struct {
	Entries []auditlog.Entry
	// Next is where the following page begins, nil on the last page.
	Next *Cursor
}

// AppendAudit writes an entry in the caller's transaction. One that is there
// already stays as it is.
func (s *Store) AppendAudit(ctx context.Context, tx pgx.Tx, e auditlog.Entry) error {
	return s.q.InsertAuditEntry(ctx, tx, db.InsertAuditEntryParams{
		ID: e.ID, At: e.At, Service: e.Service, ActorID: e.ActorID, ActorEmail: e.ActorEmail, Action: e.Action,
		Subject: e.Subject, SubjectLabel: e.Label, Before: jsonb(e.Before), After: jsonb(e.After),
		ClientIp: e.ClientIP, UserAgent: e.UserAgent, RequestID: e.RequestID, Reason: e.Reason,
	})
}

// AuditEntries returns the page of at most limit entries that begins after the
// cursor, or the first page when after is nil.
func (s *Store) AuditEntries(ctx context.Context, filter auditlog.Filter, after *Cursor, limit int) (AuditPage, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	// One more than asked for tells whether there is another page.
	rows, err := s.listAudit(ctx, filter, beginOf(filter, after), int32(limit)+1)
	if err != nil {
		return AuditPage{}, pg.Fault(err, nil)
	}
	var page AuditPage
	for _, row := range rows[:min(len(rows), limit)] {
		page.Entries = append(page.Entries, toAuditEntry(row))
	}
	if len(rows) > limit {
		last := page.Entries[limit-1]
		page.Next = &Cursor{CreatedAt: last.At, ID: last.ID}
	}
	return page, nil
}

// beginOf is the cursor, or the end of the filter's time if that comes first.
func beginOf(filter auditlog.Filter, after *Cursor) Cursor {
	begin := keyset.Start
	if after != nil {
		begin = *after
	}
	if !filter.To.IsZero() && !begin.CreatedAt.Before(filter.To) {
		begin = Cursor{CreatedAt: filter.To, ID: uuid.Nil}
	}
	return begin
}

// listAudit has a statement for each shape of filter, because one statement with
// optional parts gets one plan for all and misses the index of each.
func (s *Store) listAudit(ctx context.Context, f auditlog.Filter, after Cursor, size int32) ([]db.AuditLog, error) {
	actor := address.Searched(f.Actor)
	actorID, err := uuid.Parse(actor)
	switch isID := err == nil; {
	case f.About != "":
		return s.auditAbout(ctx, f, after, size)
	case f.Search != "":
		return s.q.SearchAudit(ctx, s.pool, db.SearchAuditParams{
			// What is looked through is more than addresses.
			Patterns: []string{pg.Containing(strings.ToLower(f.Search)), pg.Containing(address.Searched(f.Search))}, Action: f.Action, Actor: actor, Since: f.From,
			BeforeAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	case actor != "" && isID:
		return s.q.ListAuditByActor(ctx, s.pool, db.ListAuditByActorParams{
			ActorID: actorID, Action: f.Action, Since: f.From, BeforeAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	case actor != "":
		return s.q.ListAuditByAddress(ctx, s.pool, db.ListAuditByAddressParams{
			ActorEmail: actor, Action: f.Action, Since: f.From, BeforeAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	case f.Action != "":
		return s.q.ListAuditByAction(ctx, s.pool, db.ListAuditByActionParams{
			Action: f.Action, Since: f.From, BeforeAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	default:
		return s.q.ListAudit(ctx, s.pool, db.ListAuditParams{
			Since: f.From, BeforeAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
	}
}

// auditAbout finds what was done to an account by its id, and by the address, which is what
// other services know.
func (s *Store) auditAbout(ctx context.Context, f auditlog.Filter, after Cursor, size int32) ([]db.AuditLog, error) {
	about := db.ListAuditAboutParams{
		Subject: f.About, Label: address.Searched(f.About), Action: f.Action, Since: f.From,
		BeforeAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
	}
	person, err := s.Person(ctx, f.About)
	switch {
	case err == nil:
		about.Subject, about.Label, about.Known = person.User.ID.String(), person.User.Email, true
	case !errors.Is(err, ErrUnknownUser):
		return nil, err
	}
	return s.q.ListAuditAbout(ctx, s.pool, about)
}

func toAuditEntry(row db.AuditLog) auditlog.Entry {
	return auditlog.Entry{
		ID: row.ID, At: row.At.UTC().Truncate(time.Microsecond), Service: row.Service, ActorID: row.ActorID, ActorEmail: row.ActorEmail, Action: row.Action,
		Subject: row.Subject, Label: row.SubjectLabel, Before: string(row.Before), After: string(row.After),
		ClientIP: row.ClientIp, UserAgent: row.UserAgent, RequestID: row.RequestID, Reason: row.Reason,
	}
}

// jsonb is null for "".
func jsonb(document string) []byte {
	if document == "" {
		return nil
	}
	return []byte(document)
}
