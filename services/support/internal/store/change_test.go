package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

func TestAnUpdateAndAllThatGoesWithIt(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	before := f.effects()
	updated := f.update(made.ID, ticket.Update{Status: ticket.InProgress, Response: "We look into it.", Version: 1})
	if updated.Status != ticket.InProgress || updated.Version != 2 || !updated.UpdatedAt.Equal(f.clock.Now()) || !updated.CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("updated %+v", updated)
	}
	// A line of history for the message and one for the status; an event for the others and one for the audit log.
	f.wantEffects("an answer", effects{1, 2, 1, 2, before.Events + 1, before.Emails + 1})
	read, history, err := f.Get(t.Context(), made.ID)
	if err != nil || read.Ticket != updated {
		t.Fatalf("read %+v, %v", read, err)
	}
	if m := read.Messages[0]; m.Author != ticket.Staff || m.AuthorEmail != admin.Email || m.Body != "We look into it." {
		t.Errorf("the thread has %+v", m)
	}
	if s := history[1]; history[0].Field != "message" || history[0].To != "staff" || s.Field != "status" || s.From != "open" || s.To != "in_progress" || s.ActorEmail != admin.Email {
		t.Errorf("the history is %+v", history)
	}
	record := audittest.Actions(t, f.pool)
	if len(record) != 1 || record[0].GetAction() != "ticket.updated" || record[0].GetSubjectLabel() != "TKT-000001" ||
		record[0].GetBefore() != `{"status":"open"}` || record[0].GetAfter() != `{"responded":true,"status":"in_progress"}` {
		t.Errorf("the record is %v", record)
	}
}

func TestWhichUpdatesReachTheCustomer(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	for _, tt := range []struct {
		what   string
		update ticket.Update
		emails int
	}{
		{"work has begun", ticket.Update{Status: ticket.InProgress}, 0},
		{"an answer", ticket.Update{Status: ticket.InProgress, Response: "Which version?"}, 1},
		{"resolved", ticket.Update{Status: ticket.Resolved}, 1},
		{"an answer to a resolved one", ticket.Update{Status: ticket.Resolved, Response: "By the way"}, 1},
		{"closed", ticket.Update{Status: ticket.Closed}, 0},
		{"resolved again, with an answer", ticket.Update{Status: ticket.Resolved, Response: "Done"}, 1},
	} {
		before := f.effects()
		f.update(made.ID, tt.update)
		if got := f.effects().Emails - before.Emails; got != tt.emails {
			t.Errorf("%s: %d emails, want %d", tt.what, got, tt.emails)
		}
	}
}

func TestUpdatesThatChangeNothing(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	f.update(made.ID, ticket.Update{Status: ticket.Closed})
	before := f.effects()
	same, changed, err := f.Update(f.staff(), admin, made.ID, ticket.Update{Status: ticket.Closed, Version: 2})
	if err != nil || changed || same.Version != 2 {
		t.Errorf("the same again: %+v, changed %t, %v", same, changed, err)
	}
	current, changed, err := f.Update(f.staff(), admin, made.ID, ticket.Update{Status: ticket.Resolved, Response: "late", Version: 1})
	if !errors.Is(err, ticket.ErrStale) || changed || current.Version != 2 || current.Status != ticket.Closed {
		t.Errorf("too late: %+v, changed %t, %v", current, changed, err)
	}
	if _, _, err := f.Update(f.staff(), admin, made.ID, ticket.Update{Status: ticket.Resolved, Version: 3}); !errors.Is(err, ticket.ErrStale) {
		t.Errorf("a version that was never: %v", err)
	}
	if _, _, err := f.Update(f.staff(), admin, uuid.New(), ticket.Update{Status: ticket.Resolved}); !errors.Is(err, fault.NotFound) {
		t.Errorf("an unknown ticket: %v", err)
	}
	f.wantEffects("nothing changed", before)
}

// TestFiftyAtOnce: whoever does not say which version they know is last, and
// nobody's answer is lost.
func TestFiftyAtOnce(t *testing.T) {
	const many = 50
	f := newFixture(t)
	made := f.open(ada, about("help"))
	ctx := f.staff()
	statuses := []ticket.Status{ticket.InProgress, ticket.Resolved, ticket.Closed}
	var wait sync.WaitGroup
	for i := range many {
		wait.Go(func() {
			answer := ticket.Text(fmt.Sprintf("answer %d", i))
			if _, changed, err := f.Update(ctx, admin, made.ID, ticket.Update{Status: statuses[i%3], Response: answer}); err != nil || !changed {
				t.Errorf("update %d: changed %t, %v", i, changed, err)
			}
		})
	}
	wait.Wait()
	read, history, err := f.Get(t.Context(), made.ID)
	if err != nil || read.Ticket.Version != many+1 || len(read.Messages) != many {
		t.Fatalf("version %d, %d messages, %v", read.Ticket.Version, len(read.Messages), err)
	}
	seen := map[string]bool{}
	for _, m := range read.Messages {
		seen[m.Body] = true
	}
	if len(seen) != many {
		t.Errorf("%d different answers", len(seen))
	}
	status := "open"
	for _, change := range history { // each begins where the one before ended
		if change.Field == "status" {
			if change.From != status {
				t.Fatalf("from %s after %s", change.From, status)
			}
			status = change.To
		}
	}
	if status != string(read.Ticket.Status) || len(audittest.Actions(t, f.pool)) != many {
		t.Errorf("the history ends at %s, the ticket is %s, %d records", status, read.Ticket.Status, len(audittest.Actions(t, f.pool)))
	}
}

// TestFiftyWhoKnowTheSameVersion: one wins, the others learn what is so now.
func TestFiftyWhoKnowTheSameVersion(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	ctx := f.staff()
	var wait sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 50 {
		wait.Go(func() {
			now, _, err := f.Update(ctx, admin, made.ID, ticket.Update{Status: ticket.InProgress, Response: ticket.Text(fmt.Sprint(i)), Version: 1})
			if now.Version != 2 || (err != nil && !errors.Is(err, ticket.ErrStale)) {
				t.Errorf("version %d, %v", now.Version, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			}
		})
	}
	wait.Wait()
	if e := f.effects(); won != 1 || e.Messages != 1 || e.Emails != 2 || len(audittest.Actions(t, f.pool)) != 1 {
		t.Errorf("%d won, %+v", won, e)
	}
}

func TestReplies(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	reply := func(who ticket.Person, body, key string) (ticket.Ticket, bool, error) {
		return f.Reply(t.Context(), who, made.ID, ticket.Text(body), key)
	}
	if after, isNew, err := reply(ada, "more", "r1"); err != nil || !isNew || after.Status != ticket.Open || after.Version != 2 {
		t.Errorf("a reply to an open one: %+v, %v", after, err)
	}
	f.update(made.ID, ticket.Update{Status: ticket.InProgress})
	if after, _, err := reply(ada, "and more", "r2"); err != nil || after.Status != ticket.InProgress {
		t.Errorf("a reply to one in progress: %+v, %v", after, err)
	}
	f.update(made.ID, ticket.Update{Status: ticket.Resolved})
	before := f.effects()
	again, _, err := reply(ada, "still broken", "r3")
	if err != nil || again.Status != ticket.Open {
		t.Errorf("a reply to a resolved one: %+v, %v", again, err)
	}
	f.wantEffects("a reopened ticket", effects{1, before.Versions + 1, before.Messages + 1, before.Changes + 2, before.Events, before.Emails})
	before = f.effects()
	if repeat, isNew, err := reply(ada, "still broken", "r3"); err != nil || isNew || repeat != again {
		t.Errorf("the same reply: new %t, %v", isNew, err)
	}
	if _, _, err := reply(ada, "another", "r3"); fault.Of(err).Reason != "idempotency_key_reused" {
		t.Errorf("another reply of the same key: %v", err)
	}
	if _, _, err := reply(bea, "mine?", "r4"); !errors.Is(err, fault.NotFound) {
		t.Errorf("a stranger: %v", err)
	}
	f.wantEffects("refused replies", before)
	f.update(made.ID, ticket.Update{Status: ticket.Closed})
	before = f.effects()
	if _, _, err := reply(ada, "hello?", "r5"); !errors.Is(err, ticket.ErrClosed) {
		t.Errorf("a reply to a closed one: %v", err)
	}
	if repeat, _, err := reply(ada, "still broken", "r3"); err != nil || repeat.Status != ticket.Closed {
		t.Errorf("a repeat after the end: %+v, %v", repeat, err)
	}
	f.wantEffects("a closed ticket", before)
	mine, _, err := f.Mine(t.Context(), ada.ID, everything, 20)
	var bodies []string
	for _, m := range mine[0].Messages {
		bodies = append(bodies, m.Body)
	}
	if err != nil || !slices.Equal(bodies, []string{"more", "and more", "still broken"}) {
		t.Errorf("the thread is %v, %v", bodies, err)
	}
}

func TestTheHoursReplies(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	for i := range 30 {
		if _, _, err := f.Reply(t.Context(), ada, made.ID, "x", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	before := f.effects()
	if _, _, err := f.Reply(t.Context(), ada, made.ID, "x", "more"); !errors.Is(err, fault.RateLimited) || fault.Of(err).Retry <= 0 {
		t.Errorf("the 31st: %v", err)
	}
	f.wantEffects("the 31st", before)
}

// TestAnUpdateWithoutItsPartsIsNone: what cannot be recorded does not happen.
func TestAnUpdateWithoutItsPartsIsNone(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("help"))
	before := f.effects()
	for part, table := range map[string]string{"the thread": "ticket_messages", "the history": "ticket_changes", "the audit record": "outbox", "the emails": "mail.river_job"} {
		f.exec("ALTER TABLE " + table + " ADD CONSTRAINT refuse_all CHECK (false) NOT VALID")
		if _, changed, err := f.Update(f.staff(), admin, made.ID, ticket.Update{Status: ticket.Resolved, Response: "x"}); err == nil || changed {
			t.Errorf("without %s: changed %t, %v", part, changed, err)
		}
		f.exec("ALTER TABLE " + table + " DROP CONSTRAINT refuse_all")
	}
	if _, _, err := f.Update(context.Background(), admin, made.ID, ticket.Update{Status: ticket.Resolved}); err == nil {
		t.Error("an update of nobody")
	}
	f.wantEffects("failures", before)
}

// TestAnUpdateWaitsForTheCustomersPlan before it locks the ticket, which a change of plan may want to raise.
func TestAnUpdateWaitsForTheCustomersPlan(t *testing.T) {
	f := newFixture(t)
	id := f.open(ada, about("x")).ID
	f.update(id, ticket.Update{Status: ticket.Resolved})
	plan, err := f.pool.Begin(t.Context())
	errtest.None(t, err)
	defer func() { _ = plan.Rollback(context.Background()) }()
	errtest.None(t, db.New().LockPerson(t.Context(), plan, ada.ID.String()))
	var wait sync.WaitGroup
	wait.Go(func() { f.update(id, ticket.Update{Status: ticket.InProgress}) })
	f.blocked(1, func() bool { return false })
	if _, err := plan.Exec(t.Context(), "SELECT FROM tickets WHERE id = $1 FOR UPDATE NOWAIT", id); err != nil {
		t.Error(err)
	}
	errtest.None(t, plan.Rollback(t.Context()))
	wait.Wait()
}
