package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/standins/stripe"
)

// StripeWebhook is the path that takes Stripe's events.
const StripeWebhook = "/api/stripe-webhook"

// AccountAtStripe picks billing's settings of an account at Stripe out of an
// environment; nil when that names no key, for other programs of Stripe's have
// variables too.
func AccountAtStripe(environ []string) []string {
	var settings []string
	named := false
	for _, setting := range environ {
		key, value, _ := strings.Cut(setting, "=")
		if !strings.HasPrefix(key, "STRIPE_") || value == "" {
			continue
		}
		settings = append(settings, setting)
		named = named || slices.Contains([]string{"STRIPE_SECRET_KEY", "STRIPE_PUBLISHABLE_KEY"}, strings.TrimSuffix(key, "_FILE"))
	}
	if !named {
		return nil
	}
	return settings
}

// startStripe starts the stand-in, unless there is an account. Events go past the
// front door, as they come before it is there.
func (s *Stack) startStripe(ctx context.Context) error {
	if s.opts.Stripe != nil {
		return nil
	}
	log, err := os.OpenFile(s.opts.State.Log("stripe"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	standIn, err := stripe.Start(ctx, stripe.Options{
		Addr: ports.Loopback(s.plan.stripe), URL: s.publicURL(prepare.StripeHost), WebhookURL: s.GatewayURL() + StripeWebhook,
		Endpoint: stripe.Endpoint{URL: s.urls.Site + StripeWebhook}, StateFile: s.opts.State.Path("stripe.json"), Log: slog.New(slog.NewJSONHandler(log, nil)),
	})
	if err != nil {
		return errors.Join(err, log.Close())
	}
	s.urls.Stripe = standIn.URL()
	s.started("stripe", nil, func(ctx context.Context) error { return errors.Join(standIn.Close(ctx), log.Close()) })
	return nil
}

func (s *Stack) stripeSettings(instance string) []string {
	if s.opts.Stripe != nil {
		return s.opts.Stripe
	}
	return StripeStandIn("http://" + s.via(instance, "stripe", ports.Loopback(s.plan.stripe)))
}

// StripeStandIn are billing's settings of a stand-in for Stripe at an address, "" where it has Stripe's own.
func StripeStandIn(url string) []string {
	settings := []string{
		"STRIPE_SECRET_KEY=" + stripe.SecretKey,
		"STRIPE_PUBLISHABLE_KEY=" + stripe.PublishableKey,
		"STRIPE_WEBHOOK_SECRETS=" + stripe.WebhookSecret,
		"STRIPE_TEST_PRO_PRODUCT_ID=" + stripe.ProProduct,
		"STRIPE_TEST_PRO_PRICE_ID=" + stripe.ProPrice,
		"STRIPE_TEST_BUSINESS_PRODUCT_ID=" + stripe.BusinessProduct,
		"STRIPE_TEST_BUSINESS_PRICE_ID=" + stripe.BusinessPrice,
		fmt.Sprintf("STRIPE_TEST_PACKS=%s=%d", stripe.PackPrice, stripe.PackCredits),
	}
	if url != "" {
		settings = append(settings, "STRIPE_API_URL="+url)
	}
	return settings
}
