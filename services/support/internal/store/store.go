// Package store keeps support tickets in PostgreSQL. Each change is committed together
// with its entry in the history, its audit record and the email to the customer.
//
// Errors are faults: those of package ticket, Conflict for an idempotency key that
// was used for something else, RateLimited above the hourly limits, and Unavailable
// when the database is gone, full or too slow. After Unavailable a change may or may
// not have happened.
package store

import (
	"context"
	"embed"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the database at url up to date, the bus's and the emails' tables included.
func Migrate(ctx context.Context, url string) error {
	if err := pg.Migrate(ctx, url, bus.Migrations(), pg.Migrations{Name: "support", FS: migrations}); err != nil {
		return err
	}
	return mail.Migrate(ctx, url)
}

// Config bounds the store's work.
type Config struct {
	// Deadline bounds one operation, the wait for a connection included.
	Deadline time.Duration
	// TicketsPerHour and RepliesPerHour are what one person may open and write.
	TicketsPerHour, RepliesPerHour int
	// Email says where emails lead their readers.
	Email email.Config
	// TeamAddress is told when a customer wrote; empty for nobody.
	TeamAddress string
	// Notices are for members of staff who have chosen none.
	Notices ticket.Notices
	// Webhook: there is one to tell when a customer wrote.
	Webhook bool
	// FirstAnswer is how soon new tickets should be answered, for the count of those that are late.
	FirstAnswer ticket.Targets
	// IsStaff tells whether an account is of the staff just now.
	IsStaff func(ctx context.Context, account uuid.UUID) (bool, error)
}

// Store reads and changes tickets. Safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool
	clock  clock.Clock
	emails *mail.Queue
	cfg    Config
	q      *db.Queries
	// foldedUntil is until when, in Unix nanoseconds, all tickets are taken for folded by the rules of now.
	foldedUntil atomic.Int64
}

// New returns a store on pool.
func New(pool *pgxpool.Pool, clk clock.Clock, emails *mail.Queue, cfg Config) *Store {
	return &Store{pool: pool, clock: clk, emails: emails, cfg: cfg, q: db.New()}
}

func (s *Store) interactive(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.cfg.Deadline)
}

// now is the time as Postgres keeps it.
func (s *Store) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

// inTx runs work in a transaction, bounded like every operation.
func (s *Store) inTx(ctx context.Context, work func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return work(ctx, tx) })
	return pg.Fault(err, ticket.ErrNotFound)
}

// row is a ticket as every statement reads it.
type row = db.GetTicketRow

func fromRow(r row) ticket.Ticket {
	return ticket.Ticket{
		ID: r.ID, Number: r.Number, Customer: ticket.Person{ID: r.UserID, Email: r.UserEmail},
		Content: ticket.Content{
			Category: ticket.Category(r.Category), Priority: ticket.Priority(r.Priority), Subject: r.Subject, Message: ticket.Text(r.Message),
			AppVersion: r.AppVersion, OperatingSystem: r.OperatingSystem,
		},
		Status: ticket.Status(r.Status), CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), Version: r.Version,
		StaffFields: ticket.StaffFields{
			LastMessageAt: r.LastMessageAt.UTC(), LastMessageBy: ticket.Author(r.LastMessageBy), WaitingSince: orZero(r.WaitingSince), AnsweredAt: orZero(r.AnsweredAt),
			Assignee: ticket.Person{ID: r.AssigneeID.UUID, Email: r.AssigneeEmail}, Tags: strings.Join(r.Tags, " "),
		},
	}
}

func orZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}

func orNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
