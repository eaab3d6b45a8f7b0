package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	identityv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

// TestWhoHasLeftTheStaffIsNotMetAgain by a request that was let in before: nothing of it stays.
func TestWhoHasLeftTheStaffIsNotMetAgain(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	late := store.New(f.pool, f.clock, f.emails, store.Config{
		Deadline: 30 * time.Second, IsStaff: func(_ context.Context, id uuid.UUID) (bool, error) { return id != admin.ID, nil },
	})
	tags := "crash"
	for name, request := range map[string]func() error{
		"GetDesk":    func() error { _, err := late.StaffChoices(f.staff(), admin); return err },
		"ViewTicket": func() error { _, err := late.View(f.staff(), admin, made.ID, true); return err },
		"EditTicket": func() error {
			_, err := late.Edit(f.staff(), admin, made.ID, ticket.Edit{Assignee: &admin, Tags: &tags})
			return err
		},
		"AddNote": func() error { _, err := late.AddNote(f.staff(), admin, made.ID, "A note."); return err },
		"UpdateTicket": func() error {
			_, _, err := late.Update(f.staff(), admin, made.ID, ticket.Update{Response: "Yes."})
			return err
		},
		"OpenTicket": func() error { _, _, err := late.CreateFor(f.staff(), admin, ada, about("x"), f.key()); return err },
		"SetNotices": func() error { return late.SetNotices(f.staff(), admin, ticket.AtOnce) },
	} {
		if err := request(); !errors.Is(err, authn.ErrForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, table := range []string{"desk_staff", "ticket_viewers", "ticket_notes", "ticket_messages", "ticket_changes"} {
		var n int
		if err := f.pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d rows in %s, %v", n, table, err)
		}
	}
	if _, err := late.StaffChoices(f.staff(), mod); err != nil {
		t.Errorf("who is of the staff: %v", err)
	}
}

// TestWhoIsForgottenIsGivenNoTicketMeanwhile: who gives them one is waited for, and the ticket is given back.
func TestWhoIsForgottenIsGivenNoTicketMeanwhile(t *testing.T) {
	for name, forget := range map[string]func(f *fixture, tx pgx.Tx) error{
		"erased": func(f *fixture, tx pgx.Tx) error {
			_, err := f.Erase(f.t.Context(), tx, erasure.Account{ID: mod.ID, Emails: []string{mod.Email}})
			return err
		},
		"dismissed": func(f *fixture, tx pgx.Tx) error {
			left := func(context.Context, uuid.UUID) (bool, error) { return false, nil }
			late := store.New(f.pool, f.clock, f.emails, store.Config{IsStaff: left})
			return late.Leavers()[0].Handle(f.t.Context(), tx, bus.Event{Payload: &identityv1.UserRolesChanged{UserId: mod.ID.String()}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			made := f.open(ada, about("help"))
			if _, err := f.StaffChoices(f.staff(), mod); err != nil {
				t.Fatal(err)
			}
			giving, err := f.pool.Begin(t.Context())
			errtest.None(t, err)
			if _, err := db.New().StaffMember(t.Context(), giving, mod.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := giving.Exec(t.Context(), "UPDATE tickets SET assignee_id = $1, assignee_email = $2", mod.ID, mod.Email); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error { return forget(f, tx) }) }()
			f.blocked(1, func() bool { return len(done) == 1 })
			errtest.None(t, errors.Join(giving.Commit(t.Context()), <-done))
			if got, _, err := f.Get(t.Context(), made.ID); err != nil || got.Ticket.Assignee != (ticket.Person{}) {
				t.Errorf("the ticket is %v's, %v", got.Ticket.Assignee, err)
			}
		})
	}
}

// TestTwoOfTheStaffAnswerEachOther: both are customers, too, and neither waits for the other for ever.
func TestTwoOfTheStaffAnswerEachOther(t *testing.T) {
	f := newFixture(t)
	opened := map[ticket.Person]ticket.Ticket{admin: f.open(mod, about("help")), mod: f.open(admin, about("help"))} // by who answers
	held, err := f.pool.Begin(t.Context())
	errtest.None(t, err)
	defer func() { _ = held.Rollback(t.Context()) }()
	for actor := range opened {
		if _, err := f.StaffChoices(f.staff(), actor); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := held.Exec(t.Context(), "SELECT FROM desk_staff FOR UPDATE"); err != nil { // both have begun before either goes on
		t.Fatal(err)
	}
	answered := make(chan error, len(opened))
	for actor, of := range opened {
		go func() {
			_, _, err := f.Update(f.staff(), actor, of.ID, ticket.Update{Response: "Yes."})
			answered <- err
		}()
	}
	f.blocked(len(opened), func() bool { return len(answered) > 0 })
	errtest.None(t, held.Commit(t.Context()))
	for range opened {
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
}
