package mail_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

func TestWhoMayReport(t *testing.T) {
	authntest.Matrix(t, &mailv1.MailService_ServiceDesc, mail.Policy(), map[string]authn.Access{"Report": authn.Internal, "ListMails": authn.Internal, "ChangeMails": authn.Internal})
	authntest.Matrix(t, &mailv1.MailService_ServiceDesc, mail.StaffPolicy(), map[string]authn.Access{"Report": authn.Internal, "ListMails": authn.Admin, "ChangeMails": authn.FreshAdmin})
}

var reportedAt = time.Date(2026, 11, 20, 10, 15, 30, 0, time.UTC)

func event(id, address string, kind mailv1.Kind) *mailv1.Event {
	return &mailv1.Event{Id: id, Address: address, Kind: kind, Reason: "550 5.1.1", At: timestamppb.New(reportedAt)}
}

func (r *rig) report(q *mail.Queue, events ...*mailv1.Event) {
	r.t.Helper()
	if _, err := q.Reports().Report(r.t.Context(), &mailv1.ReportRequest{Events: events}); err != nil {
		r.t.Fatal(err)
	}
}

// ended is the output of the email's job, once it has one.
func (r *rig) ended(key string) (state string) {
	r.t.Helper()
	waittest.Eventually(r.t, key+" has ended", func() bool {
		err := r.pool.QueryRow(r.t.Context(), "SELECT coalesce(metadata->'output'->>'state', state::text) FROM mail.river_job WHERE args->>'key' = $1 AND finalized_at IS NOT NULL", key).Scan(&state)
		return err == nil
	})
	return state
}

func TestNothingIsSentToAnAddressThatBounced(t *testing.T) {
	r := newRig(t)
	q, rt := r.queue(plainConfig(r.smtp.Addr()))
	heard := map[string]int{}
	q.Hear(func(_ context.Context, _ pgx.Tx, rep mail.Report) error {
		heard[fmt.Sprint(rep.Address, " ", rep.State, " ", rep.Reason)]++
		return nil
	})
	toList := func(key, to string) mail.Email {
		m := emailTo(key, to)
		m.Unsubscribe = "https://fledge.test/leave"
		return m
	}
	for range 2 { // a provider may say it again
		r.report(q, event("1", "Gone@BÜCHER.example", mailv1.Kind_KIND_BOUNCED), event("2", "cross@example.com", mailv1.Kind_KIND_COMPLAINED),
			event("3", "away@example.com", mailv1.Kind_KIND_UNSUBSCRIBED))
	}
	if len(heard) != 3 || heard["gone@xn--bcher-kva.example bounced 550 5.1.1"] != 1 {
		t.Errorf("heard %v", heard)
	}
	r.enqueue(q, emailTo("gone", "gone@bücher.example"), toList("cross/list", "cross@example.com"), emailTo("cross/answer", "Cross@Example.com"),
		toList("away/list", "away@example.com"), emailTo("away/answer", "away@example.com"), toList("ada", "ada@example.com"))
	r.work(q)
	for key, want := range map[string]string{
		"gone": "bounced", "cross/list": "complained", "away/list": "unsubscribed", "cross/answer": "completed", "away/answer": "completed", "ada": "completed",
	} {
		if got := r.ended(key); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	if sent := r.smtp.Accepted(); len(sent) != 3 || !tried(t, rt, "suppressed") {
		t.Errorf("sent %v", sent)
	}
	trouble, ok, err := q.Trouble(t.Context(), "gone@BÜCHER.example")
	if err != nil || !ok || trouble.State != mail.Bounced || trouble.Reason != "550 5.1.1" || !trouble.At.After(reportedAt) {
		t.Errorf("trouble %+v, %t, %v", trouble, ok, err)
	}

	// Whoever allows it again is not overruled by the same report, but by a new one.
	errtest.None(t, pgx.BeginFunc(t.Context(), r.pool, func(tx pgx.Tx) error { return q.Allow(t.Context(), tx, "gone@bücher.example") }))
	r.report(q, event("1", "gone@bücher.example", mailv1.Kind_KIND_BOUNCED), event("4", "cross@example.com", mailv1.Kind_KIND_RESTORED))
	r.enqueue(q, emailTo("gone again", "gone@bücher.example"), toList("cross/list again", "cross@example.com"))
	for _, key := range []string{"gone again", "cross/list again"} {
		if got := r.ended(key); got != "completed" {
			t.Errorf("%s is %s although it was allowed", key, got)
		}
	}
	r.report(q, event("5", "gone@bücher.example", mailv1.Kind_KIND_BOUNCED))
	r.enqueue(q, emailTo("gone for good", "gone@bücher.example"))
	if got := r.ended("gone for good"); got != "bounced" {
		t.Errorf("after a new report it is %s", got)
	}
}

func TestABounceIsWhatAnAddressIsKnownFor(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	later := func(e *mailv1.Event) *mailv1.Event {
		e.At = timestamppb.New(reportedAt.Add(time.Hour))
		return e
	}
	r.report(q, event("1", "gone@example.com", mailv1.Kind_KIND_BOUNCED), later(event("2", "gone@example.com", mailv1.Kind_KIND_UNSUBSCRIBED)),
		event("3", "cross@example.com", mailv1.Kind_KIND_COMPLAINED), later(event("4", "cross@example.com", mailv1.Kind_KIND_UNSUBSCRIBED)))
	found, err := mail.Suppressions(t.Context(), r.pool, []string{"gone@example.com", "cross@example.com", "ada@example.com"})
	if err != nil || len(found) != 2 || found["gone@example.com"].State != mail.Bounced || found["cross@example.com"].State != mail.Unsubscribed {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestTroubleIsOverOnceAnEmailArrives, or the provider says so, also when only what came before is remembered.
func TestTroubleIsOverOnceAnEmailArrives(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.report(q, event("1", "ann@example.com", mailv1.Kind_KIND_BOUNCED), event("2", "bea@example.com", mailv1.Kind_KIND_BOUNCED))
	r.enqueue(q, emailTo("ann", "ann@example.com"), emailTo("bea", "bea@example.com"))
	r.work(q)
	troubled := func(address string, want bool) {
		t.Helper()
		if trouble, ok, err := q.Trouble(t.Context(), address); err != nil || ok != want {
			t.Errorf("%s: trouble %+v, %t, %v", address, trouble, ok, err)
		}
	}
	for _, key := range []string{"ann", "bea"} {
		if got := r.ended(key); got != "bounced" {
			t.Fatalf("%s is %s", key, got)
		}
		troubled(key+"@example.com", true)
	}
	errtest.None(t, pgx.BeginFunc(t.Context(), r.pool, func(tx pgx.Tx) error { return q.Allow(t.Context(), tx, "ann@example.com") }))
	troubled("ann@example.com", true) // nothing has arrived yet
	r.enqueue(q, emailTo("ann again", "Ann@example.com"))
	if got := r.ended("ann again"); got != "completed" {
		t.Fatalf("it is %s", got)
	}
	if _, err := r.pool.Exec(t.Context(), "DELETE FROM mail.river_job WHERE state = 'completed'"); err != nil {
		t.Fatal(err)
	}
	troubled("ann@example.com", false)
	r.report(q, event("3", "bea@example.com", mailv1.Kind_KIND_RESTORED))
	troubled("bea@example.com", false)
}

// TestARestoredAddressMayBounceAgain: what the server refused after the provider's word still counts, whenever that arrives.
func TestARestoredAddressMayBounceAgain(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.smtp.OnRecipient(func(string) error { return smtptest.EnhancedRefusal(550, 1, 1, "No mailbox") })
	r.enqueue(q, emailTo("cy", "Cy@bücher.example"))
	r.work(q)
	if got := r.ended("cy"); got != "bounced" {
		t.Fatalf("it is %s", got)
	}
	for _, tt := range []struct {
		restored time.Time
		want     bool
	}{{time.Now().Add(-time.Hour), true}, {time.Now().Add(time.Hour), false}} {
		e := event("1", "cy@xn--bcher-kva.example", mailv1.Kind_KIND_RESTORED)
		e.At = timestamppb.New(tt.restored)
		r.report(q, e)
		for _, spelled := range []string{"cy@BÜCHER.example", "cy@xn--bcher-kva.example"} {
			if trouble, ok, err := q.Trouble(t.Context(), spelled); err != nil || ok != tt.want {
				t.Errorf("%s, restored at %s: trouble %+v, %t, %v", spelled, tt.restored, trouble, ok, err)
			}
		}
	}
}

func TestWhatWasReportedIsErased(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.report(q, event("1", "ann@example.com", mailv1.Kind_KIND_BOUNCED), event("1", "joann@example.com", mailv1.Kind_KIND_BOUNCED))
	errtest.None(t, r.erase(q, "Ann@example.com"))
	if found := erasuretest.Search(t, r.pool, "ann@example.com"); len(found) != 0 {
		t.Errorf("the address is still in %q", found)
	}
	if _, ok, err := q.Trouble(t.Context(), "joann@example.com"); err != nil || !ok {
		t.Errorf("another person's was erased: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, ok, err := q.Trouble(ended, "joann@example.com"); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("known %t although it cannot be read: %v", ok, err)
	}
}

func TestOldReportsAreDeleted(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	for _, name := range []string{"new", "old", "just lifted", "lifted"} {
		r.report(q, event("1", name+"@example.com", mailv1.Kind_KIND_BOUNCED))
	}
	if _, err := r.pool.Exec(t.Context(), `UPDATE mail.reports SET received_at = now() - interval '731 days' WHERE address = 'old@example.com';
		UPDATE mail.reports SET lifted_at = now() - interval '29 days' WHERE address = 'just lifted@example.com';
		UPDATE mail.reports SET lifted_at = now() - interval '31 days' WHERE address = 'lifted@example.com'`); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, q.Cleanup().Run(t.Context()))
	var left string
	errtest.None(t, r.pool.QueryRow(t.Context(), "SELECT string_agg(address, ', ' ORDER BY address) FROM mail.reports").Scan(&left))
	if want := "just lifted@example.com, new@example.com"; left != want {
		t.Errorf("left are %s, want %s", left, want)
	}
}

func TestReportsAreRefused(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	good := event("1", "a@b.co", mailv1.Kind_KIND_BOUNCED)
	bad := map[string]*mailv1.Event{
		"no id": {Address: good.GetAddress(), Kind: good.GetKind(), At: good.GetAt()}, "a long id": event(strings.Repeat("x", 201), "a@b.co", good.GetKind()),
		"no address": event("1", "nobody", good.GetKind()), "no kind": event("1", "a@b.co", 0), "an unknown kind": event("1", "a@b.co", 99),
		"no time": {Id: "1", Address: good.GetAddress(), Kind: good.GetKind()}, "a long reason": {Id: "1", Address: good.GetAddress(), Kind: good.GetKind(), At: good.GetAt(), Reason: strings.Repeat("x", 65)},
	}
	for name, e := range bad {
		if _, err := q.Reports().Report(t.Context(), &mailv1.ReportRequest{Events: []*mailv1.Event{good, e}}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := q.Reports().Report(t.Context(), &mailv1.ReportRequest{}); !errors.Is(err, fault.Invalid) {
		t.Errorf("no events: %v", err)
	}
	if _, ok, err := q.Trouble(t.Context(), "a@b.co"); err != nil || ok {
		t.Errorf("half of a refused report is noted: %v", err)
	}
}
