package api_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// TestABulkUpdateTellsOfAnOutage: at its first ticket it fails as a whole, later in the
// ticket's result; what people caused themselves is no error of the log.
func TestABulkUpdateTellsOfAnOutage(t *testing.T) {
	var logs bytes.Buffer
	server, pool := newServer(t, slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelError})))
	var ids []string
	for _, key := range []string{"one", "two"} {
		resp, err := server.CreateTicket(audittest.As(t.Context()), &supportv1.CreateTicketRequest{Category: supportv1.Category_CATEGORY_BUG, Message: "It stops.", IdempotencyKey: key})
		errtest.None(t, err)
		ids = append(ids, resp.GetTicket().GetId())
	}
	// 57P01 is what a PostgreSQL that is shut down says.
	if _, err := pool.Exec(t.Context(), `CREATE FUNCTION away() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'away' USING ERRCODE = '57P01'; END $$;
		CREATE TRIGGER away BEFORE UPDATE ON tickets FOR EACH ROW WHEN (OLD.id = '`+ids[1]+`') EXECUTE FUNCTION away()`); err != nil {
		t.Fatal(err)
	}
	update := func(ids ...string) (*supportv1.BulkUpdateTicketsResponse, error) {
		logs.Reset()
		req := &supportv1.BulkUpdateTicketsRequest{Status: supportv1.Status_STATUS_CLOSED}
		for _, id := range ids {
			req.Tickets = append(req.Tickets, &supportv1.BulkUpdateTicketsRequest_Item{Id: id})
		}
		return server.BulkUpdateTickets(audittest.As(t.Context()), req)
	}
	if resp, err := update(ids[1], ids[0]); !errors.Is(err, fault.Unavailable) {
		t.Errorf("at the first ticket: %v, %v", resp, err)
	}
	unknown := uuid.NewString()
	resp, err := update(ids[0], ids[1], unknown)
	errtest.None(t, err)
	for i, want := range []string{"", "database_unavailable", "ticket_not_found"} {
		if got := resp.GetResults()[i].GetCode(); got != want {
			t.Errorf("ticket %d: %q, want %q", i, got, want)
		}
	}
	if said := logs.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, ids[1]) {
		t.Errorf("the log says %q", said)
	}
}
