package billing

import (
	"slices"
	"strings"
	"testing"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

// TestPeopleAreToldOfTheirPlanAndTheirPayments by email, once each, however often Stripe says so.
func TestPeopleAreToldOfTheirPlanAndTheirPayments(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	post := smtptest.Start(t, nil)
	r.add(r.serve("BILLING_MAILS=true", "LOW_CREDIT_MAILS=20,0", "NOTICE_INTERVAL=50ms", "SMTP_ADDR="+post.Addr(), "SMTP_TLS=none"))
	p, off := r.person(), r.person()
	got := func(want ...string) {
		t.Helper()
		var subjects []string
		waittest.Seen(t, "the emails", func() (bool, string) {
			subjects = nil
			for _, d := range post.Accepted() {
				if d.To != p.email {
					t.Errorf("an email to %s", d.To)
				}
				subjects = append(subjects, d.Header.Get("Subject"))
			}
			return len(subjects) >= len(want), strings.Join(subjects, "; ")
		})
		slices.Sort(subjects)
		if !slices.Equal(subjects, want) {
			t.Errorf("the emails are %q, want %q", subjects, want)
		}
	}
	id, other := p.subscribe(), off.subscribe()
	r.plan(id, stripe.BusinessPrice)
	p.is("active", "business", 10000)
	got("Your plan is now Business")

	r.issuer.Disable(off.id.String())
	// Whoever is disabled cannot ask for it.
	becomes := func(status string) {
		t.Helper()
		waittest.Eventually(t, "the subscription of the disabled account is "+status, func() bool {
			return r.count(`SELECT count(*) FROM subscriptions WHERE id = $1 AND status = $2`, other, status) == 1
		})
	}
	r.must(r.stripe.FailPayments(t.Context(), id, 1))
	r.must(r.stripe.FailPayments(t.Context(), other, 1))
	r.month()
	p.is("past_due", "business", 10000)
	becomes("past_due")
	r.settled()
	got("Your payment to Fledge is overdue", "Your plan is now Business")
	said := post.Accepted()[1].Source
	if !strings.Contains(said, "50.00 USD for your Business plan") || !strings.Contains(said, "can be spent until") {
		t.Errorf("of the payment was said %s", said)
	}

	if _, err := r.client().V1Subscriptions.Cancel(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	p.is("", "", 10000)
	got("Your Business plan has ended", "Your payment to Fledge is overdue", "Your plan is now Business")
	if _, err := r.client().V1Subscriptions.Cancel(t.Context(), other, nil); err != nil {
		t.Fatal(err)
	}
	becomes("free")
	waittest.Eventually(t, "nothing is left to tell", func() bool {
		return r.count(`SELECT count(*) FROM notices WHERE ended_at IS NULL`) == 0 && r.count(`SELECT count(*) FROM notices WHERE ended_at IS NOT NULL`) == 5
	})
	if n := r.count(`SELECT count(*) FROM mail.river_job`); n != 3 {
		t.Errorf("%d emails were queued", n)
	}
}
