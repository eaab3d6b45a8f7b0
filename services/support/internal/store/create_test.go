package store_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/support/internal/ticket"
)

func TestATicketAndAllThatGoesWithIt(t *testing.T) {
	f := newFixture(t)
	content := ticket.Content{
		Category: ticket.Billing, Priority: ticket.Urgent, Subject: "Paid twice", Message: "I paid\ntwice", AppVersion: "1.2.3", OperatingSystem: "macOS 15.1",
	}
	made := f.open(ada, content)
	if made.Label() != "TKT-000001" || made.Status != ticket.Open || made.Version != 1 || made.Customer != ada || made.Content != content {
		t.Errorf("opened %+v", made)
	}
	read, history, err := f.Get(t.Context(), made.ID)
	if err != nil || read.Ticket != made || len(read.Messages) != 0 || len(history) != 0 {
		t.Errorf("read %+v, %v, %v", read, history, err)
	}
	f.wantEffects("a ticket", effects{Tickets: 1, Versions: 1, Emails: 1})
	if second := f.open(bea, about("x")); second.Label() != "TKT-000002" {
		t.Errorf("the second is %s", second.Label())
	}
}

func TestAKeyOpensOneTicket(t *testing.T) {
	f := newFixture(t)
	first, _, err := f.Create(t.Context(), ada, about("help"), "k")
	errtest.None(t, err)
	once := f.effects()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			again, isNew, err := f.Create(t.Context(), ada, about("help"), "k")
			if err != nil || isNew || again != first {
				t.Errorf("again: %v, new %t, %v", again.ID, isNew, err)
			}
		})
	}
	wait.Wait()
	for name, other := range map[string]ticket.Content{
		"another message":  about("help!"),
		"another priority": {Category: ticket.Bug, Priority: ticket.High, Message: "help"},
		"a part moved":     {Category: ticket.Bug, Priority: ticket.Medium, Subject: "help", Message: "help"},
	} {
		if _, _, err := f.Create(t.Context(), ada, other, "k"); !errors.Is(err, fault.Conflict) || fault.Of(err).Reason != "idempotency_key_reused" {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.wantEffects("repeats", once)
	if _, isNew, err := f.Create(t.Context(), bea, about("help"), "k"); err != nil || !isNew {
		t.Errorf("another person's key: new %t, %v", isNew, err)
	}
}

func TestTheHoursTickets(t *testing.T) {
	f := newFixture(t)
	for range 10 {
		f.open(ada, about("x"))
	}
	full := f.effects()
	_, _, err := f.Create(t.Context(), ada, about("x"), "one more")
	refused := fault.Of(err)
	if !errors.Is(err, fault.RateLimited) || refused.Reason != "too_many_tickets" || refused.Retry != time.Hour-9*time.Second {
		t.Fatalf("%v, again in %v", err, refused.Retry)
	}
	f.wantEffects("the eleventh", full)
	f.open(bea, about("x"))
	f.clock.Advance(refused.Retry - 2*time.Second)
	f.open(ada, about("x")) // to open is a second each, for bea too
	if _, _, err := f.Create(t.Context(), ada, about("x"), "and more"); !errors.Is(err, fault.RateLimited) {
		t.Errorf("the twelfth: %v", err)
	}
}

// TestTicketsThatStaffOpenedAreNotOfTheCustomersHour, and the hour does not hold staff up.
func TestTicketsThatStaffOpenedAreNotOfTheCustomersHour(t *testing.T) {
	f := newFixture(t)
	openFor := func() {
		t.Helper()
		if _, _, err := f.CreateFor(f.staff(), admin, ada, about("x"), f.key()); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		openFor()
	}
	for range 10 {
		f.open(ada, about("x"))
	}
	if _, _, err := f.Create(t.Context(), ada, about("x"), "one more"); !errors.Is(err, fault.RateLimited) {
		t.Errorf("the eleventh of her own: %v", err)
	}
	openFor()
}

func TestTheHoursTicketsHoldForManyAtOnce(t *testing.T) {
	f := newFixture(t)
	var wait sync.WaitGroup
	results := make(chan error, 30)
	for i := range 30 {
		wait.Go(func() {
			_, _, err := f.Create(t.Context(), ada, about("x"), strings.Repeat("k", i+1))
			results <- err
		})
	}
	wait.Wait()
	close(results)
	refused := 0
	for err := range results {
		if errors.Is(err, fault.RateLimited) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if refused != 20 {
		t.Errorf("%d of 30 refused", refused)
	}
	f.wantEffects("30 at once", effects{Tickets: 10, Versions: 10, Emails: 10})
}
