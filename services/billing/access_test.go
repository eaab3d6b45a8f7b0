package billing_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

func TestWhoMayCallWhat(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, userToken := r.issuer.User("user@example.com")
	disabledID, disabledToken := r.issuer.User("disabled@example.com")
	r.issuer.Disable(disabledID)
	goneID, goneToken := r.issuer.User("gone@example.com")
	r.issuer.SignOut(goneID)
	callers := map[string]context.Context{
		"nobody": t.Context(), "forged": r.as("x.y.z"), "user": r.as(userToken), "disabled": r.as(disabledToken), "signed out": r.as(goneToken),
	}
	methods := map[string]func(context.Context) error{
		"ListPlans": func(ctx context.Context) error {
			_, err := s.ListPlans(ctx, &billingv1.ListPlansRequest{})
			return err
		},
		"GetPortalSignIn": func(ctx context.Context) error {
			_, err := s.GetPortalSignIn(ctx, &billingv1.GetPortalSignInRequest{})
			return err
		},
		"GetCredits": func(ctx context.Context) error {
			_, err := s.GetCredits(ctx, &billingv1.GetCreditsRequest{})
			return err
		},
		"ListCreditEntries": func(ctx context.Context) error {
			_, err := s.ListCreditEntries(ctx, &billingv1.ListCreditEntriesRequest{})
			return err
		},
		"ConsumeCredits": func(ctx context.Context) error {
			_, err := s.ConsumeCredits(ctx, consume("k", 1))
			return err
		},
		"HoldCredits": func(ctx context.Context) error {
			_, err := s.HoldCredits(ctx, &billingv1.HoldCreditsRequest{Amount: 1, Description: "x", IdempotencyKey: "h"})
			return err
		},
		"CreateCheckoutSession": func(ctx context.Context) error {
			_, err := s.CreateCheckoutSession(ctx, &billingv1.CreateCheckoutSessionRequest{
				ProductId: "prod_pro", PriceId: "price_pro", SuccessUrl: authntest.Origin + "/profile", CancelUrl: authntest.Origin + "/profile",
			})
			return err
		},
		"SyncCheckoutSession": func(ctx context.Context) error {
			_, err := s.SyncCheckoutSession(ctx, &billingv1.SyncCheckoutSessionRequest{SessionId: "cs_1"})
			return err
		},
		"CreatePortalSession": func(ctx context.Context) error {
			_, err := s.CreatePortalSession(ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: authntest.Origin + "/profile"})
			return err
		},
		"GetSubscription": func(ctx context.Context) error {
			_, err := s.GetSubscription(ctx, &billingv1.GetSubscriptionRequest{})
			return err
		},
		"GetStats": func(ctx context.Context) error {
			_, err := s.GetStats(ctx, &billingv1.GetStatsRequest{})
			return err
		},
		"SettleCredits": func(ctx context.Context) error {
			_, err := s.SettleCredits(ctx, &billingv1.SettleCreditsRequest{HoldId: uuid.NewString()})
			return err
		},
	}
	// How callers are refused; "" is for who is answered.
	signedIn := func(user fault.Kind) map[string]fault.Kind {
		return map[string]fault.Kind{
			"nobody": fault.Unauthenticated, "forged": fault.Unauthenticated, "disabled": fault.Forbidden, "signed out": fault.Unauthenticated, "user": user,
		}
	}
	for method, refused := range map[string]map[string]fault.Kind{
		"ListPlans":  {"forged": fault.Unauthenticated},
		"GetCredits": signedIn(""), "ListCreditEntries": signedIn(""), "GetSubscription": signedIn(""),
		"ConsumeCredits": signedIn(fault.Conflict), "HoldCredits": signedIn(fault.Conflict), // without credits
		"SettleCredits": signedIn(fault.NotFound), "SyncCheckoutSession": signedIn(fault.NotFound), // without a hold or a session
		"CreateCheckoutSession": signedIn(fault.Unavailable), // Stripe is down
		"CreatePortalSession":   signedIn(fault.Conflict),    // without a customer
		"GetPortalSignIn": {
			"nobody": fault.Unavailable, "user": fault.Unavailable, "disabled": fault.Unavailable, "signed out": fault.Unavailable, "forged": fault.Unauthenticated,
		},
		"GetStats": signedIn(fault.Forbidden),
	} {
		for caller, ctx := range callers {
			err := methods[method](ctx)
			if want := refused[caller]; want == "" && err != nil || want != "" && !errors.Is(err, want) {
				t.Errorf("%s by %s: got %v, want %q", method, caller, err, want)
			}
		}
	}
}

// TestADisabledAccountStopsSpendingWithinFiveSeconds, although its token is valid for longer.
func TestADisabledAccountStopsSpendingWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	id, ctx := r.funded(1 << 30)
	ways := map[string]func(key string) error{
		"consume": func(key string) error {
			_, err := s.ConsumeCredits(ctx, consume(key, 1))
			return err
		},
		"hold": func(key string) error {
			_, err := s.HoldCredits(ctx, &billingv1.HoldCreditsRequest{Amount: 1, Description: "New app", IdempotencyKey: key})
			return err
		},
	}
	for way, spend := range ways {
		if err := spend(way); err != nil {
			t.Fatalf("%s before: %v", way, err)
		}
	}
	r.issuer.Disable(id.String())
	disabled := time.Now()
	for way, spend := range ways {
		var last time.Duration // when the last one that succeeded began
		waittest.Eventually(t, way+" is refused", func() bool {
			began := time.Since(disabled)
			err := spend(way + began.String())
			if err == nil {
				last = began
			}
			return errors.Is(err, fault.Forbidden)
		})
		if last > 5*time.Second {
			t.Errorf("%s succeeded %s after the account was disabled", way, last)
		}
	}
}

func TestStaffSeeTheStats(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, token := r.issuer.Admin("admin@example.com")
	_, ctx := r.funded(5000)
	if _, err := s.ConsumeCredits(ctx, consume("k", 125)); err != nil {
		t.Fatal(err)
	}
	got, err := s.GetStats(r.as(token), &billingv1.GetStatsRequest{})
	if err != nil || got.GetSpent() != 125 || len(got.GetDays()) != 30 || got.GetDays()[29].GetAmount() != 125 ||
		len(got.GetPlans()) != 3 || got.GetPlans()[0].GetName() != "Pro" || got.GetActive() != 0 {
		t.Errorf("GetStats = %v, %v", got, err)
	}
}

func TestPlansCarryTheIDsOfTheKeysMode(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, row := range [][2]string{{"pk_test_1", "price_pro"}, {"", ""}} {
		key, want := row[0], row[1]
		r.environ["STRIPE_PUBLISHABLE_KEY"] = key
		r.environ["STRIPE_SECRET_KEY"] = strings.Replace(key, "pk_", "sk_", 1)
		if key == "" {
			delete(r.environ, "STRIPE_WEBHOOK_SECRETS")
		}
		resp, err := r.serve().ListPlans(t.Context(), &billingv1.ListPlansRequest{})
		if err != nil || len(resp.GetPlans()) != 3 {
			t.Fatalf("ListPlans = %v, %v", resp, err)
		}
		pro := resp.GetPlans()[0]
		if pro.GetPriceId() != want || pro.GetName() != "Pro" || pro.GetMonthlyCredits() != 5000 || pro.GetPriceMonthly() != 2500 || len(pro.GetFeatures()) != 3 {
			t.Errorf("with key %q: %v", key, pro)
		}
		if !resp.GetPlans()[2].GetContactSales() {
			t.Errorf("Enterprise can be bought: %v", resp.GetPlans()[2])
		}
	}
}
