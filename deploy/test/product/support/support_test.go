package support

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/mac"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

type ticket struct {
	ID              string
	TicketID        string `json:"ticket_id"`
	UserEmail       string `json:"user_email"`
	Status, Message string
	AppVersion      *string `json:"app_version"`
	Version         int
	Messages        []struct{ Author, Body string }
	History         []struct{ Field, To string }
}

type one struct{ Data ticket }

type many struct {
	Data       []ticket
	Pagination struct{ Total, TotalPages int }
}

func TestATicketOverTheRealProduct(t *testing.T) {
	opts := stacktest.Options(t, stack.InProcess)
	stacktest.Patient(&opts)
	s := stacktest.Start(t, opts)
	site := s.URLs().Site
	customer, admin := signedIn(t, site, "ann@fledge.test"), signedIn(t, site, stack.AdminEmail)

	stacktest.Call[any](t, admin, http.MethodPost, "/api/set-support-notices", map[string]any{"notices": "at_once"})
	number, err := stacktest.MacOf(t, site, customer).Report(t.Context(), mac.Report{
		Category: "bug", Priority: "urgent", Message: "The preview stays blank.", AppVersion: "1.2.3", OperatingSystem: "macOS 15.1",
	})
	if err != nil || number != "TKT-000001" {
		t.Fatalf("%q, %v", number, err)
	}
	list := stacktest.Call[many](t, admin, http.MethodGet, "/api/get-support-tickets?status=open&priority=urgent&search=preview", nil)
	if len(list.Data) != 1 || list.Pagination.TotalPages != 1 || list.Data[0].UserEmail != "ann@fledge.test" || *list.Data[0].AppVersion != "1.2.3" {
		t.Fatalf("staff sees %+v", list)
	}
	id := list.Data[0].ID
	update := map[string]any{"ticketId": id, "status": "resolved", "adminResponse": "Please update.", "version": 1}
	if done := stacktest.Call[one](t, admin, http.MethodPut, "/api/update-support-ticket", update); done.Data.Status != "resolved" || done.Data.Version != 2 {
		t.Errorf("resolved: %+v", done)
	}
	if again := stacktest.Call[one](t, admin, http.MethodPut, "/api/update-support-ticket", update); again.Data.Version != 2 {
		t.Errorf("the same once more: %+v", again)
	}
	var refused *person.APIError
	update["adminResponse"] = "Please update again."
	if err := admin.Call(t.Context(), http.MethodPut, "/api/update-support-ticket", update, nil); !errors.As(err, &refused) || refused.Code != "stale_ticket" {
		t.Errorf("another answer to the old version: %v", err)
	}
	if err := customer.Call(t.Context(), http.MethodGet, "/api/get-support-tickets", nil, nil); !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
		t.Errorf("a customer reads all tickets: %v", err)
	}
	reply := map[string]any{"ticketId": id, "message": "Now it works, thank you.", "idempotencyKey": "r1"}
	if again := stacktest.Call[one](t, customer, http.MethodPost, "/api/reply-support-ticket", reply); again.Data.Status != "open" {
		t.Errorf("reopened: %+v", again)
	}
	if whole := stacktest.Call[one](t, admin, http.MethodGet, "/api/get-support-ticket?id="+id, nil).Data; len(whole.Messages) != 2 || len(whole.History) != 4 {
		t.Errorf("the thread: %+v", whole)
	}
	if mine := stacktest.Call[many](t, customer, http.MethodGet, "/api/get-my-support-tickets", nil); len(mine.Data) != 1 || len(mine.Data[0].Messages) != 2 {
		t.Errorf("the customer sees %+v", mine)
	}
	theEmails(t, s.URLs().Mail)
	theRecords(t, admin)
	waittest.Eventually(t, "staff are told that the customer wrote", func() bool {
		return len(emailsAbout(t, s.URLs().Mail, stack.AdminEmail)) > 0
	})
}

type email struct {
	Subject, Text string
	Headers       map[string][]string
}

// emailsAbout are those about the ticket that somebody has got.
func emailsAbout(t *testing.T, mailbox, to string) []email {
	t.Helper()
	var box struct{ Messages []email }
	if err := person.New(mailbox).Call(t.Context(), http.MethodGet, "/messages?to="+url.QueryEscape(to), nil, &box); err != nil {
		return nil
	}
	return slices.DeleteFunc(box.Messages, func(m email) bool { return !strings.Contains(m.Subject, "[TKT-000001]") })
}

// theEmails are the receipt and the answer, in one conversation.
func theEmails(t *testing.T, mailbox string) {
	t.Helper()
	waittest.Eventually(t, "two emails", func() bool { return len(emailsAbout(t, mailbox, "ann@fledge.test")) == 2 })
	found := ""
	for _, m := range emailsAbout(t, mailbox, "ann@fledge.test") {
		found += m.Subject + "\n" + m.Text
		if strings.HasPrefix(m.Subject, "Re: ") && len(m.Headers["In-Reply-To"]) != 1 {
			t.Errorf("the answer stands alone: %v", m.Headers)
		}
	}
	for _, want := range []string{"Re: [TKT-000001]", "> The preview stays blank.", "> Please update.", "/signin"} {
		if !strings.Contains(found, want) {
			t.Errorf("no email has %q:\n%s", want, found)
		}
	}
}

// theRecords are what the overview and the audit log tell of it.
func theRecords(t *testing.T, admin *person.Person) {
	t.Helper()
	var log struct {
		Data []struct {
			Action       string
			SubjectLabel string `json:"subject_label"`
			ActorEmail   string `json:"actor_email"`
		}
	}
	waittest.Eventually(t, "a line in the audit log", func() bool {
		return admin.Call(t.Context(), http.MethodGet, "/api/get-audit-log?action=ticket.updated", nil, &log) == nil && len(log.Data) == 1
	})
	if line := log.Data[0]; line.SubjectLabel != "TKT-000001" || line.ActorEmail != stack.AdminEmail {
		t.Errorf("the audit log has %+v", line)
	}
	var stats struct {
		Tickets *struct {
			Open struct{ Urgent int }
			Days []struct{ Created, Resolved int }
		}
	}
	waittest.Eventually(t, "the figures of tickets", func() bool { // null while support is too slow
		return admin.Call(t.Context(), http.MethodGet, "/api/get-admin-stats", nil, &stats) == nil && stats.Tickets != nil
	})
	created, resolved := 0, 0
	for _, day := range stats.Tickets.Days { // the day may have turned meanwhile
		created, resolved = created+day.Created, resolved+day.Resolved
	}
	if got := fmt.Sprint(stats.Tickets.Open.Urgent, len(stats.Tickets.Days), created, resolved); got != "1 30 1 1" {
		t.Errorf("the overview has %+v", stats.Tickets)
	}
}

func signedIn(t *testing.T, site, email string) *person.Person {
	t.Helper()
	someone := person.New(site)
	errtest.None(t, someone.SignIn(t.Context(), email))
	return someone
}
