package store_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

var (
	epoch = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	admin = ticket.Person{ID: uuid.MustParse(audittest.Staff.UserID), Email: audittest.Staff.Email}
	ada   = ticket.Person{ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Email: "ada@example.com"}
	bea   = ticket.Person{ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b9"), Email: "bea@example.com"}
)

// fixture is a store on a database of its own; nobody sends its emails.
type fixture struct {
	*store.Store
	t     testing.TB
	pool  *pgxpool.Pool
	clock *clock.Fake
	keys  int
	// emails wait in the database.
	emails *mail.Queue
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	url := pgtest.New(t, "support_store", store.Migrate)
	pool, err := pgxpool.New(context.Background(), url)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	f := &fixture{t: t, pool: pool, clock: clock.NewFake(epoch)}
	emails, err := mail.NewQueue(pool, mail.Config{SMTPAddr: "127.0.0.1:1", TLS: mail.TLSNone, Timeout: time.Second,
		From: "hello@fledge.example", ReplyTo: "support@fledge.example", RescueStuckJobsAfter: time.Minute},
		email.BuiltIn("https://fledge.example"), service.NewRuntime("support", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	f.emails = emails
	// The deadline is not under test: a slow machine is no outage.
	f.Store = store.New(pool, f.clock, emails, store.Config{
		Deadline: 30 * time.Second, TicketsPerHour: 10, RepliesPerHour: 30, Email: email.Config{SiteOrigin: "https://fledge.example"}, IsStaff: anybody,
	})
	return f
}

func anybody(context.Context, uuid.UUID) (bool, error) { return true, nil }

// staff is a context in which a member of staff acts.
func (f *fixture) staff() context.Context { return audittest.As(f.t.Context()) }

func (f *fixture) key() string {
	f.keys++
	return fmt.Sprintf("key-%d", f.keys)
}

func about(message string) ticket.Content {
	return ticket.Content{Category: ticket.Bug, Priority: ticket.Medium, Message: ticket.Text(message)}
}

// open opens a ticket, a second after the one before.
func (f *fixture) open(customer ticket.Person, content ticket.Content) ticket.Ticket {
	f.t.Helper()
	f.clock.Advance(time.Second)
	t, isNew, err := f.Create(f.t.Context(), customer, content, f.key())
	if err != nil || !isNew {
		f.t.Fatalf("new %t, %v", isNew, err)
	}
	return t
}

func (f *fixture) update(id uuid.UUID, u ticket.Update) ticket.Ticket {
	f.t.Helper()
	f.clock.Advance(time.Second)
	t, _, err := f.Update(f.staff(), admin, id, u)
	errtest.None(f.t, err)
	return t
}

// effects are what a change leaves behind, by table.
type effects struct{ Tickets, Versions, Messages, Changes, Events, Emails int }

func (f *fixture) effects() (e effects) {
	f.t.Helper()
	err := f.pool.QueryRow(context.Background(), `SELECT (SELECT count(*) FROM tickets), (SELECT coalesce(sum(version), 0) FROM tickets),
		(SELECT count(*) FROM ticket_messages), (SELECT count(*) FROM ticket_changes), (SELECT count(*) FROM outbox),
		(SELECT count(*) FROM mail.river_job)`).Scan(&e.Tickets, &e.Versions, &e.Messages, &e.Changes, &e.Events, &e.Emails)
	errtest.None(f.t, err)
	return e
}

func (f *fixture) wantEffects(what string, want effects) {
	f.t.Helper()
	if got := f.effects(); got != want {
		f.t.Errorf("%s: left behind %+v, want %+v", what, got, want)
	}
}

func (f *fixture) exec(sql string, args ...any) {
	f.t.Helper()
	if _, err := f.pool.Exec(context.Background(), sql, args...); err != nil {
		f.t.Fatal(err)
	}
}
