package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist/internal/api"
	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/store"
)

func newServer(t *testing.T, log *slog.Logger) *api.Server {
	t.Helper()
	server, _ := serverOn(t, log)
	return server
}

func serverOn(t *testing.T, log *slog.Logger) (*api.Server, *pgxpool.Pool) {
	t.Helper()
	url := pgtest.New(t, "waitlist_api", store.Migrate)
	pool, err := pgxpool.New(t.Context(), url)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	emails, err := mail.NewQueue(pool, mail.Config{SMTPAddr: "127.0.0.1:1", TLS: mail.TLSNone, Timeout: time.Second,
		From: "hello@fledge.example", ReplyTo: "support@fledge.example", RescueStuckJobsAfter: time.Minute},
		email.BuiltIn("https://fledge.example"), service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	entries := store.New(pool, clock.System(), emails, store.Config{Deadline: 20 * time.Second, JoinBatch: 16, JoinQueue: 128, UndoFor: time.Minute})
	stop, err := entries.Unit(prometheus.NewRegistry()).Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	server, err := api.NewServer(entries, clock.System(), prometheus.NewRegistry(), log)
	errtest.None(t, err)
	return server, pool
}

func TestChangesByAdminsLeaveATrace(t *testing.T) {
	var log bytes.Buffer
	server := newServer(t, slog.New(slog.NewJSONHandler(&log, nil)))
	admin := uuid.NewString()
	ctx := authn.WithPrincipal(t.Context(), authn.Principal{UserID: admin, Email: "admin@example.com"})
	var id string
	add := func() error {
		resp, err := server.AddUser(ctx, &waitlistv1.AddUserRequest{Email: "ada@example.com"})
		id = resp.GetUser().GetId()
		return err
	}
	approve := func() error {
		_, err := server.ApproveUser(ctx, &waitlistv1.ApproveUserRequest{Id: id})
		return err
	}
	remove := func() error {
		_, err := server.RemoveUser(ctx, &waitlistv1.RemoveUserRequest{Id: id})
		return err
	}
	// A call that changes nothing leaves no trace.
	for _, act := range []func() error{add, add, approve, approve, remove, remove, add, remove} {
		errtest.None(t, act())
	}
	if err := approve(); err == nil {
		t.Fatal("a removed entry was approved")
	}

	var actions []string
	for line := range strings.Lines(log.String()) {
		var entry struct{ Msg, Entry, Action, By string }
		errtest.None(t, json.Unmarshal([]byte(line), &entry))
		if entry.Msg != "waitlist changed" || entry.Entry != id || entry.By != admin {
			t.Errorf("logged %s", line)
		}
		actions = append(actions, entry.Action)
	}
	if want := []string{"add", "approve", "remove", "add", "remove"}; !slices.Equal(actions, want) {
		t.Errorf("logged %v, want %v", actions, want)
	}
	if strings.Contains(log.String(), "@") {
		t.Errorf("an address is in the log: %s", log.String())
	}
}
