package stripe_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

func (r *rig) subscription(customer string) *sdk.Subscription {
	r.Helper()
	for s, err := range r.sc.V1Subscriptions.List(r.Context(), &sdk.SubscriptionListParams{Customer: sdk.String(customer), Status: sdk.String("all")}).All(r.Context()) {
		r.must(err)
		return s
	}
	return nil
}

// see wants a page to show texts.
func (r *rig) see(path string, status int, texts ...string) string {
	r.Helper()
	got, body := r.fetch(http.MethodGet, path, nil)
	if got != status {
		r.Fatalf("%s: %d, want %d", path, got, status)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			r.Errorf("%s does not show %q", path, text)
		}
	}
	return body
}

// press posts a form and wants to be sent to an address.
func (r *rig) press(path string, form url.Values, want string) {
	r.Helper()
	status, header, body := r.exchange(http.MethodPost, path, form)
	if status != http.StatusSeeOther || header.Get("Location") != want {
		r.Fatalf("%s: %d to %q, want %q: %s", path, status, header.Get("Location"), want, body)
	}
}

func TestTheCheckoutPage(t *testing.T) {
	r := start(t)
	customer := r.customer()
	session := r.checkout(customer, stripe.ProPrice)
	r.see(session.URL, 200, "Subscribe to Pro", "Pay $25.00", "Cancel and go back to Fledge", `href="http://localhost:8080/profile?canceled=true"`, "somebody@fledge.test")

	for _, card := range []string{stripe.CardDeclined, stripe.CardFailsLater} {
		status, body := r.fetch(http.MethodPost, session.URL, url.Values{"card": {card}})
		if status != http.StatusPaymentRequired || !strings.Contains(body, `role="alert">Your card was declined.`) || r.subscription(customer) != nil {
			t.Errorf("%s: %d", card, status)
		}
	}
	success := "http://localhost:8080/profile?success=true&session=" + session.ID
	r.press(session.URL, url.Values{"card": {stripe.CardWorks}}, success)
	r.press(session.URL, url.Values{"card": {stripe.CardWorks}}, success) // a second click
	r.see(session.URL, 200, "has been paid already")
	if s := r.subscription(customer); s.Status != sdk.SubscriptionStatusActive || s.Items.Data[0].Price.ID != stripe.ProPrice {
		t.Errorf("%+v", s)
	}
	n := 0
	for _, err := range r.sc.V1Subscriptions.List(t.Context(), &sdk.SubscriptionListParams{Customer: sdk.String(customer)}).All(t.Context()) {
		r.must(err)
		n++
	}
	if n != 1 {
		t.Errorf("%d subscriptions", n)
	}
	r.see("/c/pay/cs_test_none", 404, "Something is wrong")

	late := r.checkout(customer, stripe.ProPrice)
	r.must(r.Advance(t.Context(), 0, 24*time.Hour))
	r.see(late.URL, 410, "has expired")
	got, err := r.sc.V1CheckoutSessions.Retrieve(t.Context(), late.ID, nil)
	r.must(err)
	if got.Status != sdk.CheckoutSessionStatusExpired || got.URL != "" {
		t.Errorf("%s %s", got.Status, got.URL)
	}
}

// TestTheBankAsksItsCustomer on the page of the checkout, which stays open until that is confirmed.
func TestTheBankAsksItsCustomer(t *testing.T) {
	r := start(t)
	customer := r.customer()
	session := r.checkout(customer, stripe.ProPrice)
	for _, answer := range []struct{ confirmation, says string }{{"", "Complete authentication"}, {stripe.Declines, "unable to authenticate"}} {
		status, body := r.fetch(http.MethodPost, session.URL, url.Values{"card": {stripe.CardAsks}, "confirmation": {answer.confirmation}})
		if status != http.StatusPaymentRequired || !strings.Contains(body, answer.says) || r.subscription(customer) != nil {
			t.Errorf("%q: %d %s", answer.confirmation, status, body)
		}
	}
	r.press(session.URL, url.Values{"card": {stripe.CardAsks}, "confirmation": {stripe.Confirms}}, "http://localhost:8080/profile?success=true&session="+session.ID)
	if s := r.subscription(customer); s.Status != sdk.SubscriptionStatusActive {
		t.Errorf("%s", s.Status)
	}
}

// portal opens a session for a customer with a plan.
func (r *rig) portal(customer string, flow *sdk.BillingPortalSessionCreateFlowDataParams) string {
	r.Helper()
	session, err := r.sc.V1BillingPortalSessions.Create(r.Context(), &sdk.BillingPortalSessionCreateParams{
		Customer: sdk.String(customer), ReturnURL: sdk.String("http://localhost:8080/profile"), FlowData: flow,
	})
	r.must(err)
	return strings.TrimPrefix(session.URL, r.URL())
}

func (r *rig) plan() (customer string, s *sdk.Subscription) {
	r.Helper()
	customer = r.customer()
	_, err := r.Subscribe(r.Context(), customer, stripe.ProPrice, 1, stripe.CardWorks)
	r.must(err)
	return customer, r.subscription(customer)
}

func TestThePortalCancelsAndResumes(t *testing.T) {
	r := start(t)
	customer, s := r.plan()
	portal := r.portal(customer, nil)
	form := url.Values{"subscription": {s.ID}}
	r.see(portal, 200, "Your billing", "Renews on", "Cancel plan", "Return to Fledge", "visa •••• 4242", "FLEDGE-0001")
	r.see(portal+"/cancel?subscription="+s.ID, 200, "Cancel your plan", "Keep the plan")

	r.press(portal+"/cancel", form, portal+"?done=cancelled")

	cancelled := r.subscription(customer)
	if cancelled.CancelAt != s.Items.Data[0].CurrentPeriodEnd || cancelled.CancelAtPeriodEnd || cancelled.Status != sdk.SubscriptionStatusActive {
		t.Errorf("cancel_at %d, flag %v, %s", cancelled.CancelAt, cancelled.CancelAtPeriodEnd, cancelled.Status)
	}
	r.see(portal+"?done=cancelled", 200, `role="status"`, "is cancelled and ends on", "Resume plan")
	r.press(portal+"/keep", form, portal+"?done=kept")
	if s := r.subscription(customer); s.CancelAt != 0 {
		t.Errorf("cancel_at %d", s.CancelAt)
	}
}

func TestThePortalChangesPlans(t *testing.T) {
	r := start(t)
	customer, s := r.plan()
	portal := r.portal(customer, nil)
	upgrade := url.Values{"subscription": {s.ID}, "price": {stripe.BusinessPrice}}
	r.see(portal+"/plans?subscription="+s.ID, 200, "Choose Business")
	r.see(portal+"/change?"+upgrade.Encode(), 200, "Confirm your new plan", "Due today", "$25.00")

	r.must(r.FailPayments(t.Context(), s.ID, 1))
	if status, body := r.fetch(http.MethodPost, portal+"/change", upgrade); status != http.StatusPaymentRequired || !strings.Contains(body, "declined") {
		t.Errorf("%d", status)
	}
	if s := r.subscription(customer); s.Items.Data[0].Price.ID != stripe.ProPrice {
		t.Error("the plan changed without a payment")
	}
	r.press(portal+"/change", upgrade, portal+"?done=changed")
	s = r.subscription(customer)
	invoice, err := r.sc.V1Invoices.Retrieve(t.Context(), s.LatestInvoice.ID, nil)
	r.must(err)
	if s.Items.Data[0].Price.ID != stripe.BusinessPrice || invoice.BillingReason != sdk.InvoiceBillingReasonSubscriptionUpdate || invoice.AmountPaid != 2500 {
		t.Errorf("%s, %s, %d", s.Items.Data[0].Price.ID, invoice.BillingReason, invoice.AmountPaid)
	}

	downgrade := url.Values{"subscription": {s.ID}, "price": {stripe.ProPrice}}
	r.see(portal+"/change?"+downgrade.Encode(), 200, "You keep Business until")
	r.press(portal+"/cancel", url.Values{"subscription": {s.ID}}, portal+"?done=cancelled")
	r.press(portal+"/change", downgrade, portal+"?done=scheduled")
	r.see(portal, 200, "Changes to Pro on")
	if s := r.subscription(customer); s.Items.Data[0].Price.ID != stripe.BusinessPrice || s.Schedule == nil || s.CancelAt != 0 {
		t.Errorf("%+v", s)
	}
	r.must(r.Advance(t.Context(), 1, 2*time.Hour))
	if s := r.subscription(customer); s.Items.Data[0].Price.ID != stripe.ProPrice {
		t.Error("the smaller plan did not come")
	}
}

func TestThePortalConfirmsOnePlanAndGoesWhereItWasTold(t *testing.T) {
	r := start(t)
	customer, s := r.plan()
	portal := r.portal(customer, &sdk.BillingPortalSessionCreateFlowDataParams{
		Type: sdk.String("subscription_update_confirm"),
		SubscriptionUpdateConfirm: &sdk.BillingPortalSessionCreateFlowDataSubscriptionUpdateConfirmParams{
			Subscription: sdk.String(s.ID),
			Items: []*sdk.BillingPortalSessionCreateFlowDataSubscriptionUpdateConfirmItemParams{{
				ID: sdk.String(s.Items.Data[0].ID), Price: sdk.String(stripe.BusinessPrice),
			}},
		},
		AfterCompletion: &sdk.BillingPortalSessionCreateFlowDataAfterCompletionParams{
			Type:     sdk.String("redirect"),
			Redirect: &sdk.BillingPortalSessionCreateFlowDataAfterCompletionRedirectParams{ReturnURL: sdk.String("http://localhost:8080/profile?success=true")},
		},
	})
	r.see(portal, 200, "Confirm your new plan", "Business", "Return to Fledge")
	r.press(portal+"/change", url.Values{"subscription": {s.ID}, "price": {stripe.BusinessPrice}}, "http://localhost:8080/profile?success=true")
	if s := r.subscription(customer); s.Items.Data[0].Price.ID != stripe.BusinessPrice {
		t.Error("the plan did not change")
	}
}

func TestAFailedPaymentIsMendedInThePortal(t *testing.T) {
	r := start(t)
	r.must(r.AdvanceToTenth(t.Context()))
	customer, _ := r.plan()
	portal := r.portal(customer, &sdk.BillingPortalSessionCreateFlowDataParams{Type: sdk.String("payment_method_update")})
	r.see(portal, 200, "Change your card", "Save card")
	r.press(portal+"/card", url.Values{"card": {stripe.CardFailsLater}}, portal+"?done=card")
	r.must(r.Advance(t.Context(), 1, 2*time.Hour))
	if s := r.subscription(customer); s.Status != sdk.SubscriptionStatusPastDue {
		t.Fatalf("%s", s.Status)
	}
	body := r.see(portal, 200, "Your last payment has failed")
	open := regexp.MustCompile(`href="(/i/\w+)">FLEDGE-0002`).FindStringSubmatch(body)
	r.see(open[1], 200, "Pay $25.00", "Invoice FLEDGE-0002")
	if status, _ := r.fetch(http.MethodPost, open[1]+"/pay", url.Values{"card": {stripe.CardDeclined}}); status != http.StatusPaymentRequired {
		t.Errorf("a declined card: %d", status)
	}
	r.press(open[1]+"/pay", url.Values{"card": {stripe.CardWorks}}, open[1]+"?done=paid")
	r.see(open[1]+"?done=paid", 200, "has been paid", "paid")
	if printed := r.see(open[1]+"/print", 200, "Total"); strings.Contains(printed, "<form") {
		t.Error("there is a form on the printed invoice")
	}
	if s := r.subscription(customer); s.Status != sdk.SubscriptionStatusActive {
		t.Errorf("%s", s.Status)
	}
	r.press(portal+"/card", url.Values{"card": {stripe.CardWorksToo}}, portal+"?done=card")
	r.press(portal+"/expire", url.Values{}, portal+"?done=expired")
	r.must(r.Advance(t.Context(), 1, 2*time.Hour))
	if s := r.subscription(customer); s.Status != sdk.SubscriptionStatusPastDue {
		t.Errorf("%s with an expired card", s.Status)
	}
}

func TestAPortalSessionIsForOneCustomer(t *testing.T) {
	r := start(t)
	mine, _ := r.plan()
	_, theirs := r.plan()
	portal := r.portal(mine, nil)
	if status, _ := r.fetch(http.MethodPost, portal+"/cancel", url.Values{"subscription": {theirs.ID}}); status != http.StatusPaymentRequired {
		t.Errorf("%d", status)
	}
	got, err := r.sc.V1Subscriptions.Retrieve(t.Context(), theirs.ID, nil)
	r.must(err)
	if got.CancelAt != 0 {
		t.Error("somebody else's plan was cancelled")
	}
	r.see("/p/session/test_none", 404, "Your session has ended")
}

func TestTheFrontPageMovesTheClock(t *testing.T) {
	r := start(t)
	customer, s := r.plan()
	r.see("/", 200, "Local Stripe", "One month on", "somebody@fledge.test", "customer.subscription.created")
	r.press("/subscriptions/"+s.ID+"/fail", nil, "/")
	r.press("/clock", url.Values{"step": {"month"}}, "/")
	if s := r.subscription(customer); s.Status != sdk.SubscriptionStatusPastDue {
		t.Errorf("%s", s.Status)
	}
	r.press("/charges/"+r.lastPaidCharge(customer)+"/refund", nil, "/")
	r.see("/", 200, "refunded", "past_due")
	if status, _ := r.fetch(http.MethodPost, "/clock", url.Values{"step": {"back"}}); status != http.StatusBadRequest {
		t.Errorf("%d", status)
	}
	cross := func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "cross-site") }
	if status, _ := r.fetch(http.MethodPost, "/clock", url.Values{"step": {"month"}}, cross); status != http.StatusForbidden {
		t.Errorf("another site moved the clock: %d", status)
	}
}
