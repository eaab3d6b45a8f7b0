package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/support/internal/store"
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
		"GetDesk":    func() error { _, err := late.Desk(f.staff(), admin); return err },
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
	if _, err := late.Desk(f.staff(), mod); err != nil {
		t.Errorf("who is of the staff: %v", err)
	}
}
