package support_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	billingv1 "fledge.dev/proto/gen/go/fledge/events/billing/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// plan has billing say whether the account's plan has had priority support since then.
func (r *rig) plan(user string, priority bool, since time.Time) {
	r.t.Helper()
	ev := bus.Event{
		ID: uuid.New(), Type: "fledge.billing.v1.user.plan_changed", Subject: user, Time: since,
		Payload: &billingv1.UserPlanChanged{UserId: user, PlanId: map[bool]string{true: "pro", false: "free"}[priority], PrioritySupport: priority},
	}
	r.nats.Publish("billing", ev)
	waittest.Eventually(r.t, "the plan is known", func() bool {
		var known bool
		err := r.pool.QueryRow(r.t.Context(), `SELECT EXISTS (SELECT FROM inbox WHERE consumer = 'support-plans' AND event_id = $1)`, ev.ID).Scan(&known)
		return err == nil && known
	})
}

// TestPrioritySupportIsReal: a plan that promises it makes its customer's tickets high for as long
// as they have it, and never those whose priority staff has set.
func TestPrioritySupportIsReal(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	id, token := r.issuer.User("ada@example.com")
	customer, admin := r.as(token), r.asAdmin()
	open := func(key string, asked supportv1.Priority) string {
		t.Helper()
		resp, err := s.CreateTicket(customer, &supportv1.CreateTicketRequest{
			Category: supportv1.Category_CATEGORY_BUG, Message: "help", Priority: asked, IdempotencyKey: key,
		})
		errtest.None(t, err)
		return resp.GetTicket().GetId()
	}
	priorities := func(tickets ...string) (list string) {
		t.Helper()
		for _, id := range tickets {
			resp, err := s.GetTicket(admin, &supportv1.GetTicketRequest{Id: id})
			errtest.None(t, err)
			list += strings.TrimPrefix(resp.GetTicket().GetPriority().String(), "PRIORITY_") + " "
		}
		return strings.TrimSpace(list)
	}
	expect := func(want string, tickets ...string) {
		t.Helper()
		if got := priorities(tickets...); got != want {
			t.Errorf("the priorities are %s, want %s", got, want)
		}
	}
	low, urgent, theirs, done := open("1", supportv1.Priority_PRIORITY_LOW), open("2", supportv1.Priority_PRIORITY_URGENT), open("3", 0), open("4", 0)
	if _, err := s.EditTicket(admin, &supportv1.EditTicketRequest{Id: theirs, Priority: supportv1.Priority_PRIORITY_LOW}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdateTicket(admin, &supportv1.UpdateTicketRequest{Id: done, Status: supportv1.Status_STATUS_CLOSED}); err != nil {
		t.Fatal(err)
	}
	expect("LOW URGENT LOW MEDIUM", low, urgent, theirs, done)

	bought := time.Now()
	r.plan(id, true, bought)
	r.plan(id, false, bought.Add(-time.Minute)) // came late
	expect("HIGH URGENT LOW MEDIUM", low, urgent, theirs, done)
	later := open("5", 0)
	if again := open("5", 0); again != later {
		t.Error("a repeated request opened another ticket")
	}
	kept := open("6", 0)
	if _, err := s.EditTicket(admin, &supportv1.EditTicketRequest{Id: kept, Priority: supportv1.Priority_PRIORITY_URGENT}); err != nil {
		t.Fatal(err)
	}
	expect("HIGH URGENT", later, kept)
	other := r.openTicket(r.asUser("bob@example.org"), s, "help").GetId()
	expect("MEDIUM", other)

	closed := open("7", 0)
	if _, err := s.UpdateTicket(admin, &supportv1.UpdateTicketRequest{Id: closed, Status: supportv1.Status_STATUS_CLOSED}); err != nil {
		t.Fatal(err)
	}
	expect("HIGH", closed)

	r.plan(id, false, bought.Add(time.Minute))
	expect("LOW URGENT LOW MEDIUM MEDIUM URGENT MEDIUM", low, urgent, theirs, done, later, kept, closed)
	resp, err := s.GetTicket(admin, &supportv1.GetTicketRequest{Id: low})
	errtest.None(t, err)
	var history []string
	for _, c := range resp.GetHistory() {
		history = append(history, c.GetField()+" "+c.GetFrom()+" "+c.GetTo())
	}
	if got := strings.Join(history, ", "); got != "plan low high, plan high low" {
		t.Errorf("the history is %s", got)
	}
}

// TestAReopenedTicketHasPriority by the plan that its customer has now, unless staff has set another one.
func TestAReopenedTicketHasPriority(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	id, token := r.issuer.User("ada@example.com")
	admin := r.asAdmin()
	update := func(ticket string, status supportv1.Status) *supportv1.Ticket {
		t.Helper()
		resp, err := s.UpdateTicket(admin, &supportv1.UpdateTicketRequest{Id: ticket, Status: status})
		errtest.None(t, err)
		return resp.GetTicket()
	}
	reply := func(ticket string) *supportv1.Ticket {
		t.Helper()
		resp, err := s.ReplyToTicket(r.as(token), &supportv1.ReplyToTicketRequest{Id: ticket, Message: "It is back.", IdempotencyKey: ticket})
		errtest.None(t, err)
		return resp.GetTicket()
	}
	open := func(key string) string {
		t.Helper()
		resp, err := s.CreateTicket(r.as(token), &supportv1.CreateTicketRequest{Category: supportv1.Category_CATEGORY_BUG, Message: "help", IdempotencyKey: key})
		errtest.None(t, err)
		return resp.GetTicket().GetId()
	}
	byCustomer, byStaff, set := open("1"), open("2"), open("3")
	if _, err := s.EditTicket(admin, &supportv1.EditTicketRequest{Id: set, Priority: supportv1.Priority_PRIORITY_LOW}); err != nil {
		t.Fatal(err)
	}
	for _, ticket := range []string{byCustomer, byStaff, set} {
		update(ticket, supportv1.Status_STATUS_RESOLVED)
	}
	r.plan(id, true, time.Now())
	for name, got := range map[string]supportv1.Priority{
		"by its customer": reply(byCustomer).GetPriority(), "by staff": update(byStaff, supportv1.Status_STATUS_IN_PROGRESS).GetPriority(),
	} {
		if got != supportv1.Priority_PRIORITY_HIGH {
			t.Errorf("reopened %s it is %s", name, got)
		}
	}
	if got := reply(set).GetPriority(); got != supportv1.Priority_PRIORITY_LOW {
		t.Errorf("what staff has set became %s", got)
	}
	resp, err := s.GetTicket(admin, &supportv1.GetTicketRequest{Id: byCustomer})
	errtest.None(t, err)
	history := resp.GetHistory()
	if last := history[len(history)-1]; last.GetField() != "plan" || last.GetFrom() != "medium" || last.GetTo() != "high" || resp.GetTicket().GetVersion() != 4 {
		t.Errorf("version %d, the last change is %v", resp.GetTicket().GetVersion(), last)
	}
}

// TestALateFirstAnswerIsSeen in the ticket, and counted for the alert.
func TestALateFirstAnswerIsSeen(t *testing.T) {
	r := newRig(t)
	r.environ["FIRST_ANSWER_TARGETS"] = "high=8h medium=48h"
	s := r.serve()
	id := r.openTicket(r.asUser("ada@example.com"), s, "help").GetId()
	due := func() time.Duration {
		t.Helper()
		resp, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: id})
		errtest.None(t, err)
		if resp.GetTicket().GetDesk().GetAnswerDue() == nil {
			return 0
		}
		return resp.GetTicket().GetDesk().GetAnswerDue().AsTime().Sub(resp.GetTicket().GetCreatedAt().AsTime())
	}
	overdue := func(high, medium string) {
		t.Helper()
		want := "# HELP support_answers_overdue Tickets whose first answer is later than FIRST_ANSWER_TARGETS says, by priority.\n# TYPE support_answers_overdue gauge\n" +
			`support_answers_overdue{priority="high"} ` + high + "\n" + `support_answers_overdue{priority="medium"} ` + medium + "\n"
		waittest.Eventually(t, "the count is "+high+" and "+medium, func() bool {
			return testutil.GatherAndCompare(s.rt.Metrics, strings.NewReader(want), "support_answers_overdue") == nil
		})
	}
	edit := func(p supportv1.Priority) {
		t.Helper()
		if _, err := s.EditTicket(r.asAdmin(), &supportv1.EditTicketRequest{Id: id, Priority: p}); err != nil {
			t.Fatal(err)
		}
	}
	if got := due(); got != 48*time.Hour {
		t.Errorf("the answer is due %s after the ticket", got)
	}
	overdue("0", "0")
	if _, err := r.pool.Exec(t.Context(), `UPDATE tickets SET created_at = now() - interval '9 hours'`); err != nil {
		t.Fatal(err)
	}
	overdue("0", "0")
	edit(supportv1.Priority_PRIORITY_HIGH)
	if got := due().Round(time.Hour); got != 17*time.Hour { // whose customer reopened it just now
		t.Errorf("the answer is due %s after the ticket that waits again", got)
	}
	overdue("0", "0")
	if _, err := r.pool.Exec(t.Context(), `UPDATE tickets SET waiting_since = created_at`); err != nil {
		t.Fatal(err)
	}
	overdue("1", "0")
	edit(supportv1.Priority_PRIORITY_LOW) // which has no target
	if got := due(); got != 0 {
		t.Errorf("the answer is due %s after the ticket, of a priority without a target", got)
	}
	edit(supportv1.Priority_PRIORITY_HIGH)
	if _, err := s.UpdateTicket(r.asAdmin(), &supportv1.UpdateTicketRequest{Id: id, Response: "Which version?"}); err != nil {
		t.Fatal(err)
	}
	overdue("0", "0")
	if got := due(); got != 0 {
		t.Errorf("the answer is due %s after the ticket, and there is one", got)
	}
}
