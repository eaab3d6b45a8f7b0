package support_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/support"
)

func TestTheLifeOfATicket(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	ada, admin := r.asUser("ada@example.com"), r.asAdmin()
	made := r.openTicket(ada, s, "  It broke\r\nagain  ")
	if made.GetNumber() != "TKT-000001" || made.GetUserEmail() != "ada@example.com" || made.GetMessage() != "It broke\nagain" ||
		made.GetPriority() != supportv1.Priority_PRIORITY_MEDIUM || made.GetStatus() != supportv1.Status_STATUS_OPEN || made.GetVersion() != 1 {
		t.Errorf("opened %v", made)
	}
	resolved, err := s.UpdateTicket(admin, &supportv1.UpdateTicketRequest{Id: made.GetId(), Status: supportv1.Status_STATUS_RESOLVED, Response: "Fixed", Version: 1})
	if err != nil || resolved.GetStale() || resolved.GetTicket().GetVersion() != 2 {
		t.Fatalf("resolved %v, %v", resolved, err)
	}
	stale, err := s.UpdateTicket(admin, &supportv1.UpdateTicketRequest{Id: made.GetId(), Status: supportv1.Status_STATUS_CLOSED, Response: "lost?", Version: 1})
	if err != nil || !stale.GetStale() || stale.GetTicket().GetStatus() != supportv1.Status_STATUS_RESOLVED {
		t.Errorf("too late: %v, %v", stale, err)
	}
	reopened, err := s.ReplyToTicket(ada, &supportv1.ReplyToTicketRequest{Id: made.GetId(), Message: "Still broken", IdempotencyKey: "r"})
	if err != nil || reopened.GetTicket().GetStatus() != supportv1.Status_STATUS_OPEN {
		t.Errorf("reopened %v, %v", reopened, err)
	}
	mine, err := s.ListMyTickets(ada, &supportv1.ListMyTicketsRequest{})
	if err != nil || len(mine.GetThreads()) != 1 || mine.GetNextCursor() != "" {
		t.Fatalf("mine: %v, %v", mine, err)
	}
	for i, want := range []string{"Fixed", "Still broken"} {
		if m := mine.GetThreads()[0].GetMessages()[i]; m.GetBody() != want || m.GetAuthorEmail() != "" {
			t.Errorf("the customer reads %v", m)
		}
	}
	whole, err := s.GetTicket(admin, &supportv1.GetTicketRequest{Id: made.GetId()})
	if err != nil || whole.GetMessages()[0].GetAuthorEmail() != "admin@example.com" || len(whole.GetHistory()) != 4 {
		t.Errorf("staff reads %v, %v", whole, err)
	}
	// Staff resolved, staff too late, and the customer reopened.
	if n, err := testutil.GatherAndCount(s.rt.Metrics, "support_updates_total"); err != nil || n != 3 {
		t.Errorf("%d outcomes counted, %v", n, err)
	}
	r.announced("staff.action", 1)
}

// announced waits until so many events of a type are on the bus.
func (r *rig) announced(entity string, n int) {
	r.t.Helper()
	waittest.Eventually(r.t, fmt.Sprintf("%d %s on the bus", n, entity), func() bool {
		var all, published int
		err := r.pool.QueryRow(r.t.Context(), "SELECT count(*), count(published_at) FROM outbox WHERE type = 'fledge.support.v1.' || $1", entity).Scan(&all, &published)
		return err == nil && all == n && published == n
	})
}

func TestManyAtOnceEachWithItsResult(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	admin := r.asAdmin()
	var ids []string
	for i := range 3 {
		ids = append(ids, r.openTicket(r.asUser(fmt.Sprintf("c%d@example.com", i)), s, "help").GetId())
	}
	r.sent(3)
	unknown := uuid.NewString()
	req := &supportv1.BulkUpdateTicketsRequest{Status: supportv1.Status_STATUS_RESOLVED, Tickets: []*supportv1.BulkUpdateTicketsRequest_Item{
		{Id: ids[0], Version: 1}, {Id: unknown}, {Id: ids[1], Version: 7}, {Id: ids[2]},
	}}
	resp, err := s.BulkUpdateTickets(admin, req)
	errtest.None(t, err)
	var got []string
	for _, result := range resp.GetResults() {
		got = append(got, result.GetId()+" "+result.GetCode())
		if (result.GetCode() == "") != (result.GetError() == "") {
			t.Errorf("half a result: %v", result)
		}
	}
	if want := []string{ids[0] + " ", unknown + " ticket_not_found", ids[1] + " stale_ticket", ids[2] + " "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	emails := r.sent(5)
	if len(emails) != 5 || emails[3].To == emails[4].To {
		t.Errorf("%d emails", len(emails))
	}
	if actions := audittest.Actions(t, r.pool); len(actions) != 2 || actions[0].GetActorEmail() != "admin@example.com" {
		t.Errorf("recorded %v", actions)
	}
	if e := r.effects(); e.Changes != 2 || e.Versions != 5 {
		t.Errorf("left behind %+v", e)
	}
}

// TestAnExportHasEachTicketOnce, also those that are too long for one piece, and
// none that came after it began.
func TestAnExportHasEachTicketOnce(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	admin := r.asAdmin()
	const many = 1203
	_, err := r.pool.Exec(t.Context(), `INSERT INTO tickets (id, user_id, user_email, category, priority, status, subject, message, app_version,
		operating_system, created_at, updated_at, idempotency_key, fingerprint)
		SELECT gen_random_uuid(), gen_random_uuid(), 'x@example.com', 'bug', 'low', 'open', '', repeat('é', 1 + n % 3 * 4999), '', '',
		now() - n / 10 * interval '1 second', now(), n::text, sha256('x') FROM generate_series(1, $1::int) n`, many)
	errtest.None(t, err)
	seen, pieces := map[string]bool{}, 0
	for cursor := ""; pieces == 0 || cursor != ""; pieces++ {
		resp, err := s.ExportTickets(admin, &supportv1.ExportTicketsRequest{Cursor: cursor})
		errtest.None(t, err)
		for _, ticket := range resp.GetTickets() {
			if seen[ticket.GetId()] {
				t.Fatalf("%s comes twice", ticket.GetNumber())
			}
			seen[ticket.GetId()] = true
		}
		if pieces == 0 {
			r.openTicket(r.asUser("late@example.com"), s, "late")
		}
		cursor = resp.GetNextCursor()
	}
	if len(seen) != many || pieces < 4 {
		t.Errorf("%d tickets in %d pieces, want %d", len(seen), pieces, many)
	}
}

func TestTheSeed(t *testing.T) {
	r := newRig(t)
	pgtest.Seed(t, r.environ["DATABASE_URL"], "internal/store/testdata/seed.sql", 250)
	if e := r.effects(); e.Tickets != 250 || e.Events != 0 || e.Emails != 0 || e.Messages == 0 || e.Changes == 0 {
		t.Errorf("seeded %+v", e)
	}
	s := r.serve()
	waittest.Eventually(t, "the tickets are found", func() bool {
		page, err := s.ListTickets(r.asAdmin(), &supportv1.ListTicketsRequest{Filter: &supportv1.Filter{Search: " \x1b[1mX\x1b[0mcode\x00"}}) // as it is pasted
		return err == nil && page.GetTotal() > 0 && int64(len(page.GetTickets())) == page.GetTotal()
	})
}

func TestSettings(t *testing.T) {
	good := map[string]string{
		"DATABASE_URL": "postgres://u@127.0.0.1/d", "IDENTITY_ADDR": "127.0.0.1:1", "SITE_ORIGIN": "https://fledge.example", "INTERNAL_TOKEN": servicetest.InternalToken,
	}
	if _, err := config.Load[support.Config](servicetest.Environment(good)); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"TICKETS_PER_HOUR=0", "REPLIES_PER_HOUR=-1", "TICKETS_PER_HOUR=many", "SMTP_TLS=maybe", "DATABASE_URL=", "IMAP_ADDR=imap.example"} {
		if _, err := config.Load[support.Config](append(servicetest.Environment(good), wrong)); err == nil {
			t.Errorf("%s was accepted", wrong)
		}
	}
}
