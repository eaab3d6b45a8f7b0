// Package store keeps the waitlist in PostgreSQL. Each change by staff is committed
// together with its audit record, and an approval with its email.
//
// Errors are faults: NotFound for an entry that does not exist, Conflict for a
// change that the entry's state forbids, and Unavailable when the database is
// gone, full or too slow. After Unavailable a change may or may not have
// happened; every change can be repeated.
package store

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist/internal/batch"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the database at url up to date, the bus's and the emails' tables included.
func Migrate(ctx context.Context, url string) error {
	if err := pg.Migrate(ctx, url, bus.Migrations(), pg.Migrations{Name: "waitlist", FS: migrations}); err != nil {
		return err
	}
	return mail.Migrate(ctx, url)
}

var errUnknownEntry = fault.New(fault.NotFound, "waitlist_user_not_found", "This waitlist user does not exist.")

// Config bounds the store's work.
type Config struct {
	// Deadline bounds one operation, the wait for a connection included.
	Deadline time.Duration
	// JoinBatch is the most sign-ups in one statement, JoinQueue the most that wait for
	// the statement before.
	JoinBatch int
	JoinQueue int
	// ConfirmSignUps has people confirm their address before they are on the list.
	ConfirmSignUps bool
	// RemindAfter is how long after the approval email somebody is reminded who has not used the invitation,
	// ExpireAfter for how long one is approved who does not use it; 0 is never.
	RemindAfter time.Duration
	ExpireAfter time.Duration
	// UndoFor is how long staff can undo an approval, while its email waits; 0 sends it at once.
	UndoFor time.Duration
	// Log takes the failures that no caller hears of.
	Log *slog.Logger
	// SiteOrigin is where emails send their readers.
	SiteOrigin string
	// IsAdmin tells whether an account may approve at this moment.
	IsAdmin func(ctx context.Context, account uuid.UUID) (bool, error)
}

// Store reads and changes entries. Safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool
	clock  clock.Clock
	emails *mail.Queue
	cfg    Config
	q      *db.Queries
	joins  *batch.Batcher[entry.Entry, bool]
	// woken has the worker look for waves at once.
	woken chan struct{}
}

// New returns a store on pool. Join works while its Unit runs.
func New(pool *pgxpool.Pool, clk clock.Clock, emails *mail.Queue, cfg Config) *Store {
	return &Store{pool: pool, clock: clk, emails: emails, cfg: cfg, q: db.New(), woken: make(chan struct{}, 1)}
}

// Unit takes sign-ups while it runs. Stopping it writes those that were taken.
func (s *Store) Unit(reg *prometheus.Registry) service.Unit {
	return service.Unit{Name: "sign-ups", Start: func(context.Context) (func(context.Context) error, error) {
		size, err := registerJoinMetrics(reg, s)
		if err = errors.Join(err, s.gauge().Register(reg), s.unconfirmedGauge().Register(reg)); err != nil {
			return nil, err
		}
		s.joins = batch.Start(batch.Config{
			MaxSize:   s.cfg.JoinBatch,
			MaxQueued: s.cfg.JoinQueue,
			Timeout:   s.cfg.Deadline,
			Observe:   func(n int) { size.Observe(float64(n)) },
		}, s.signUp)
		return s.joins.Stop, nil
	}}
}

func (s *Store) interactive(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.cfg.Deadline)
}

// inTx runs work in a transaction, bounded like every operation.
func (s *Store) inTx(ctx context.Context, work func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return work(ctx, tx) })
	return pg.Fault(err, errUnknownEntry)
}

func fromRow(row db.WaitlistUser) entry.Entry {
	return entry.Entry{
		ID:        row.ID,
		Email:     entry.StoredEmail(row.Email),
		Status:    entry.Status(row.Status),
		Source:    entry.Source(row.Source),
		CreatedAt: row.CreatedAt.UTC(),
		UpdatedAt: row.UpdatedAt.UTC(),
		Version:   row.Version,
		ClaimedBy: row.ClaimedBy.Bytes, ClaimedEmail: row.ClaimedEmail, // no bytes are uuid.Nil
		Mail: mail.State(row.Mail), MailReply: row.MailReply, InvitedAt: row.InvitedAt.Time.UTC(), LeftAt: row.LeftAt.Time,
		Consent: row.Consent, ConsentedAt: row.ConsentedAt.Time, ConfirmedAt: row.ConfirmedAt.Time,
		EndsAt: row.InvitationEndsAt.Time, ExpiredAt: row.InvitationExpiredAt.Time, ByWave: row.Wave.Valid, Channel: entry.Channel(row.Channel),
		FormerInvitedAt: row.FormerInvitedAt.Time.UTC(), FormerExpiredAt: row.FormerExpiredAt.Time,
	}
}
