package restore_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

const (
	known     = 20
	firstKept = "kept-0@fledge.test"
	buyer     = "buyer@fledge.test"
	// late buys for the first time when the copy of the database is already made.
	late = "late@fledge.test"
)

// TestAProductIsRestoredElsewhere copies a product while people join it, and starts
// another one of the copy.
func TestAProductIsRestoredElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a whole product twice, the second time of a copy, which takes minutes: `make test-long`")
	}
	opts := stacktest.Options(t, stack.InProcess)
	stacktest.Patient(&opts)
	opts.Settings["gateway"] = append(opts.Settings["gateway"], stacktest.NoLimits()...)
	old, err := stack.Start(t.Context(), opts)
	errtest.None(t, err)
	account := use(t, old)
	lateBuyer := person.New(old.URLs().Site)
	errtest.None(t, lateBuyer.SignIn(t.Context(), late))
	before := fingerprint(t, old, account)

	load, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		for n := 0; load.Err() == nil; n++ {
			_ = join(load, person.New(old.URLs().Site), fmt.Sprintf("late-%d@fledge.test", n))
		}
	}()
	again := stacktest.Options(t, stack.InProcess)
	stacktest.Patient(&again)
	copyRunning(t, old, opts.State, again.State, func() { buy(t, old, lateBuyer) })
	leave()
	<-left
	errtest.None(t, old.Stop(context.Background()))

	began := time.Now()
	restored := stacktest.Start(t, again)
	waittest.Eventually(t, "what was paid for after the copy is there", func() bool { return balance(t, restored, lateBuyer.ID()) == "50.00" })
	if after := fingerprint(t, restored, account); after != before {
		t.Errorf("restored:\n%s\nwas:\n%s", after, before)
	}

	// NATS is empty, so everything is told again.
	for _, service := range services.Names() {
		waittest.Eventually(t, "the stream of "+service+" is whole", func() bool {
			return ask(t, restored, service, `SELECT (SELECT created FROM outbox_stream) > $1
				AND NOT EXISTS (SELECT FROM outbox WHERE stream_seq IS NULL)`, began) == "true"
		})
	}
	t.Logf("from the start on the copy until all events were told again: %s", time.Since(began).Round(time.Millisecond))
	if after := fingerprint(t, restored, account); after != before {
		t.Errorf("after its events were told again:\n%s\nwas:\n%s", after, before)
	}
	back := person.New(restored.URLs().Site)
	if err := back.SignIn(t.Context(), buyer); err != nil || back.ID() != account {
		t.Errorf("the buyer is %s, was %s: %v", back.ID(), account, err)
	}
	returned := person.New(restored.URLs().Site)
	errtest.None(t, returned.SignIn(t.Context(), late))
	if err := stacktest.Buy(t.Context(), returned, restored.URLs().Site, restored.URLs().Stripe); err == nil {
		t.Error("who bought after the copy could buy again, and would be charged twice")
	}
}

func buy(t *testing.T, s *stack.Stack, p *person.Person) {
	t.Helper()
	errtest.None(t, stacktest.Buy(t.Context(), p, s.URLs().Site, s.URLs().Stripe))
	waittest.Eventually(t, "the buyer has credits", func() bool { return balance(t, s, p.ID()) == "50.00" })
}

func balance(t *testing.T, s *stack.Stack, account string) string {
	t.Helper()
	return ask(t, s, "billing", "SELECT round(coalesce(sum(balance), 0) / 100.0, 2) FROM credit_accounts WHERE user_id = $1", account)
}

// use has people join, one of them approved, and somebody buy and spend credits. It
// returns the buyer's account when all of that has had its effects.
func use(t *testing.T, s *stack.Stack) (account string) {
	t.Helper()
	visitor, admin, buys := person.New(s.URLs().Site), person.New(s.URLs().Site), person.New(s.URLs().Site)
	for n := range known {
		errtest.None(t, join(t.Context(), visitor, fmt.Sprintf("kept-%d@fledge.test", n)))
	}
	errtest.None(t, admin.SignIn(t.Context(), stack.AdminEmail))
	errtest.None(t, admin.Approve(t.Context(), firstKept))
	errtest.None(t, buys.SignIn(t.Context(), buyer))
	buy(t, s, buys)
	errtest.None(t, buys.Call(t.Context(), http.MethodPost, "/api/consume-credits", map[string]any{"amount": 1.5, "description": "a screen", "idempotencyKey": "first"}, nil))
	waittest.Eventually(t, "the email is sent", func() bool { return emails(t, s) == 1 })
	return buys.ID()
}

func join(ctx context.Context, p *person.Person, email string) error {
	return p.Call(ctx, http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": email, "source": "hero_section"}, nil)
}

// fingerprint is what has to be the same: the waitlist as it was before the load, the
// ledger of an account, and what has been sent.
func fingerprint(t *testing.T, s *stack.Stack, account string) string {
	t.Helper()
	const all = "SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '' ORDER BY r::text)), '') FROM "
	return fmt.Sprintf("waitlist %s\nentries %s\naccounts %s\nemails %d",
		ask(t, s, "waitlist", all+"waitlist_users r WHERE email LIKE 'kept-%'"),
		ask(t, s, "billing", all+"credit_entries r WHERE user_id = $1", account), ask(t, s, "billing", all+"credit_accounts r WHERE user_id = $1", account), emails(t, s))
}

// emails are those to whoever was approved.
func emails(t *testing.T, s *stack.Stack) (n int) {
	t.Helper()
	var list struct{ Messages []struct{ To []string } }
	errtest.None(t, person.New(s.URLs().Mail).Call(t.Context(), http.MethodGet, "/messages", nil, &list))
	for _, email := range list.Messages {
		if slices.Contains(email.To, firstKept) {
			n++
		}
	}
	return n
}

func ask(t *testing.T, s *stack.Stack, service, query string, args ...any) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.DatabaseURL(service))
	errtest.None(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	return value(t, conn, query, args...)
}
