package api_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/api"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/store"
)

func newServer(t *testing.T, log *slog.Logger) (*api.Server, *pgxpool.Pool) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "support_store", store.Migrate))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	emails, err := mail.NewQueue(pool, mail.Config{
		SMTPAddr: "127.0.0.1:1", TLS: mail.TLSNone, Timeout: time.Second, From: "hello@fledge.example", ReplyTo: "support@fledge.example", RescueStuckJobsAfter: time.Minute,
	}, email.BuiltIn("https://fledge.example"), service.NewRuntime("support", "test", log))
	errtest.None(t, err)
	server, err := api.NewServer(store.New(pool, clock.System(), emails, store.Config{
		Deadline: 30 * time.Second, TicketsPerHour: 10, RepliesPerHour: 30, Email: email.Config{SiteOrigin: "https://fledge.example"},
		IsStaff: func(context.Context, uuid.UUID) (bool, error) { return true, nil },
	}), everybody{}, nil, clock.System(), prometheus.NewRegistry(), log)
	errtest.None(t, err)
	return server, pool
}

// everybody has an address.
type everybody struct{}

func (everybody) Addresses(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return map[uuid.UUID]string{ids[0]: "ada@example.com"}, nil
}

// TestEveryChangeByAnAdminIsRecorded has a row for each method of theirs.
func TestEveryChangeByAnAdminIsRecorded(t *testing.T) {
	server, pool := newServer(t, slog.New(slog.DiscardHandler))
	opened := func(key string) string {
		t.Helper()
		resp, err := server.CreateTicket(audittest.As(t.Context()), &supportv1.CreateTicketRequest{Category: supportv1.Category_CATEGORY_BUG, Message: "It stops.", IdempotencyKey: key})
		errtest.None(t, err)
		return resp.GetTicket().GetId()
	}
	one, other := opened("one"), opened("other")
	canned, err := server.SaveCannedAnswer(audittest.As(t.Context()), &supportv1.SaveCannedAnswerRequest{Title: "Hello", Body: "Hi {{name}},"})
	errtest.None(t, err)
	audittest.Methods(t, api.Policy(), pool, map[string]audittest.Call{
		"UpdateTicket": {Action: store.Updated, Do: func(ctx context.Context) error {
			_, err := server.UpdateTicket(ctx, &supportv1.UpdateTicketRequest{Id: one, Status: supportv1.Status_STATUS_RESOLVED, Response: "It goes on."})
			return err
		}},
		"BulkUpdateTickets": {Action: store.Updated, Do: func(ctx context.Context) error {
			_, err := server.BulkUpdateTickets(ctx, &supportv1.BulkUpdateTicketsRequest{
				Tickets: []*supportv1.BulkUpdateTicketsRequest_Item{{Id: other}}, Status: supportv1.Status_STATUS_CLOSED,
			})
			return err
		}},
		"EditTicket": {Action: store.Edited, Do: func(ctx context.Context) error {
			_, err := server.EditTicket(ctx, &supportv1.EditTicketRequest{
				Id: one, Priority: supportv1.Priority_PRIORITY_URGENT, Category: supportv1.Category_CATEGORY_BILLING,
				AssigneeId: &audittest.Staff.UserID, Tags: &supportv1.Tags{Tags: []string{"crash"}},
			})
			return err
		}},
		"AddNote": {Action: store.Noted, Do: func(ctx context.Context) error {
			_, err := server.AddNote(ctx, &supportv1.AddNoteRequest{Id: one, Note: "Knows the founder."})
			return err
		}},
		"SaveCannedAnswer": {Action: store.AnswerSaved, Do: func(ctx context.Context) error {
			_, err := server.SaveCannedAnswer(ctx, &supportv1.SaveCannedAnswerRequest{Title: "Update", Body: "Please update."})
			return err
		}},
		"DeleteCannedAnswer": {Action: store.AnswerDeleted, Do: func(ctx context.Context) error {
			_, err := server.DeleteCannedAnswer(ctx, &supportv1.DeleteCannedAnswerRequest{Id: canned.GetAnswer().GetId()})
			return err
		}},
		"OpenTicketFor": {Action: store.Opened, Do: func(ctx context.Context) error {
			_, err := server.OpenTicketFor(ctx, &supportv1.OpenTicketForRequest{UserId: uuid.NewString(), Category: supportv1.Category_CATEGORY_BUG, Message: "Said on the phone.", IdempotencyKey: "for"})
			return err
		}},
		// How one is told oneself, and that one looks, is nobody's concern.
		"SetNotices": audittest.Reads, "ViewTicket": audittest.Reads,
		"GetDesk": audittest.Reads, "ListMessages": audittest.Reads,
		"ListTickets": audittest.Reads, "GetTicket": audittest.Reads, "ExportTickets": audittest.Reads, "GetStats": audittest.Reads,
	})
}
