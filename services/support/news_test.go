package support_test

import (
	"slices"
	"testing"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

// TestStaffAreToldAsTheyHaveChosen: at once, and only of what others did and who still waits.
func TestStaffAreToldAsTheyHaveChosen(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	customerID, token := r.issuer.User("customer@example.com")
	customer := r.as(token)
	choose := func(email string, notices supportv1.Notices) (id, token string) {
		id, token = r.issuer.Admin(email)
		if _, err := s.SetNotices(r.as(token), &supportv1.SetNoticesRequest{Notices: notices}); err != nil {
			t.Fatal(err)
		}
		if desk, err := s.GetDesk(r.as(token), &supportv1.GetDeskRequest{}); err != nil || desk.GetNotices() != notices {
			t.Fatalf("%s has chosen %v, %v", email, desk.GetNotices(), err)
		}
		return id, token
	}
	choose("quiet@example.com", supportv1.Notices_NOTICES_OFF)
	choose("daily@example.com", supportv1.Notices_NOTICES_DAILY)
	_, eager := choose("eager@example.com", supportv1.Notices_NOTICES_AT_ONCE)
	former, _ := choose("former@example.com", supportv1.Notices_NOTICES_AT_ONCE)
	r.issuer.SetAdmin(former, false)

	id := r.openTicket(customer, s, "private words").GetId()
	told := func(n int) []string {
		var to []string
		for _, d := range r.sent(n) {
			to = append(to, d.To)
		}
		slices.Sort(to)
		return to
	}
	if to := told(2); !slices.Equal(to, []string{"customer@example.com", "eager@example.com"}) {
		t.Errorf("of a new ticket %q are told", to)
	}
	waittest.Eventually(t, "nobody else is due", func() bool { return r.count("SELECT count(*) FROM staff_news") == 1 })

	// Somebody else who opens one for the customer is told nothing, and eager is.
	_, mod := r.issuer.Admin("mod@example.com")
	made, err := s.OpenTicketFor(r.as(mod), &supportv1.OpenTicketForRequest{UserId: customerID, Category: supportv1.Category_CATEGORY_BUG, Message: "said on the phone", IdempotencyKey: "k"})
	errtest.None(t, err)
	if to := told(4); !slices.Equal(to, []string{"customer@example.com", "customer@example.com", "eager@example.com", "eager@example.com"}) {
		t.Errorf("of two tickets %q are told", to)
	}
	waittest.Eventually(t, "the daily one is to be told twice, nobody else", func() bool { return r.count("SELECT count(*) FROM staff_news") == 2 })

	// A day later, of two tickets one is answered.
	if _, err := s.UpdateTicket(r.as(eager), &supportv1.UpdateTicketRequest{Id: id, Response: "Done."}); err != nil {
		t.Fatal(err)
	}
	r.exec("UPDATE staff_news SET since = since - interval '1 day'")
	sent := r.sent(6)
	i := slices.IndexFunc(sent, func(d smtptest.Delivery) bool { return d.To == "daily@example.com" })
	if i < 0 || sent[i].Header.Get("Subject") != "["+made.GetTicket().GetNumber()+"] New ticket" {
		t.Errorf("daily is told %v", sent)
	}
}

// TestTheFirstTicketTellsWhoeverHasSeenTheEmptyList, who has chosen nothing and touched no ticket.
func TestTheFirstTicketTellsWhoeverHasSeenTheEmptyList(t *testing.T) {
	r := newRig(t)
	r.environ["STAFF_NOTICES"] = "at_once"
	s := r.serve()
	_, mod := r.issuer.Admin("mod@example.com")
	r.issuer.Admin("away@example.com")
	if _, err := s.GetDesk(r.as(mod), &supportv1.GetDeskRequest{}); err != nil {
		t.Fatal(err)
	}
	number := r.openTicket(r.asUser("ada@example.com"), s, "help").GetNumber()
	sent := r.sent(2)
	i := slices.IndexFunc(sent, func(d smtptest.Delivery) bool { return d.To == "mod@example.com" })
	if i < 0 || sent[i].Header.Get("Subject") != "["+number+"] New ticket" {
		t.Errorf("sent %v", sent)
	}
}
