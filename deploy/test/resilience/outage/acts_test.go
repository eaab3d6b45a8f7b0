package outage_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/standins/stripe"
)

// act is something that somebody does with the product. Without an error the product
// has said yes.
type act func(ctx context.Context, w *world) error

// acts are at least one for each part of the product, and for each thing that a
// dependency could take away.
var acts = map[string]act{
	"landing page":   page,
	"join":           join,
	"waitlist state": reads("member", "/api/get-waitlist-status"),
	"waitlist":       reads("admin", "/api/get-waitlist-users"),
	"downloads":      reads("visitor", "/api/get-latest-downloads"),
	"download":       download,
	"releases":       reads("admin", "/api/get-github-releases"),
	"toggle":         toggle,
	"channel":        reads("member", "/api/get-update-channel"),
	"plans":          reads("visitor", "/api/get-plans"),
	"credits":        reads("member", "/api/get-credit-balance"),
	"subscription":   reads("member", "/api/get-subscription"),
	"spend":          spend,
	"Stripe event":   event,
	"checkout":       checkout,
	"ticket":         ticket,
	"tickets":        reads("member", "/api/get-my-support-tickets"),
	"keys":           reads("visitor", "/api/auth/jwks.json"),
	"account":        reads("member", "/api/auth/user"),
	"users":          reads("admin", "/api/get-users-with-roles"),
	"new token":      func(ctx context.Context, w *world) error { return w.people["member"].Renew(ctx) },
	"sign-in":        signIn,
}

func reads(who, path string) act {
	return func(ctx context.Context, w *world) error {
		return w.people[who].Call(ctx, http.MethodGet, path, nil, nil)
	}
}

func page(ctx context.Context, w *world) error { return w.get(ctx, "/", http.StatusOK) }

func download(ctx context.Context, w *world) error {
	return w.get(ctx, w.file, http.StatusFound)
}

// get asks for what is no JSON.
func (w *world) get(ctx context.Context, path string, want int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.stack.URLs().Site+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode == want {
		return err
	}
	problem := &person.APIError{Status: resp.StatusCode}
	_ = json.Unmarshal(content, problem)
	return problem
}

func join(ctx context.Context, w *world) error {
	email := w.fresh("joined") + "@fledge.test"
	err := person.New(w.stack.URLs().Site).Call(ctx, http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": email, "source": "hero_section"}, nil)
	return w.promised("waitlist", email, err)
}

func ticket(ctx context.Context, w *world) error {
	subject := w.fresh("ticket")
	err := w.people["member"].Call(ctx, http.MethodPost, "/api/create-support-ticket",
		map[string]string{"category": "bug", "priority": "low", "subject": subject, "message": "It does not start any more.", "idempotencyKey": subject}, nil)
	return w.promised("support", subject, err)
}

func spend(ctx context.Context, w *world) error {
	key := w.fresh("spend")
	err := w.people["buyer"].Call(ctx, http.MethodPost, "/api/consume-credits", map[string]any{"amount": 0.01, "description": "Generated screen", "idempotencyKey": key}, nil)
	return w.promised("spends", key, err)
}

// event is a delivery of Stripe's, of a type that changes nothing.
func event(ctx context.Context, w *world) error {
	id := "evt_" + strings.ReplaceAll(w.fresh("event"), "-", "")
	payload := fmt.Sprintf(`{"id":%q,"object":"event","type":"plan.created","livemode":false,"created":%d,"data":{"object":{"id":"plan_1"}}}`, id, time.Now().Unix())
	moment := fmt.Sprint(time.Now().Unix())
	mac := hmac.New(sha256.New, []byte(stripe.WebhookSecret))
	_, _ = io.WriteString(mac, moment+"."+payload)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.stack.GatewayURL()+stack.StripeWebhook, strings.NewReader(payload))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Stripe-Signature", "t="+moment+",v1="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode != http.StatusOK {
		problem := &person.APIError{Status: resp.StatusCode}
		_ = json.Unmarshal(content, problem)
		err = problem
	}
	return w.promised("events", id, err)
}

func checkout(ctx context.Context, w *world) error {
	member := w.people["member"]
	return member.Call(ctx, http.MethodPost, "/api/create-checkout-session", map[string]string{
		"productId": stripe.ProProduct, "priceId": stripe.ProPrice, "userId": member.ID(),
		"successUrl": w.stack.URLs().Site + "/profile?success=true", "cancelUrl": w.stack.URLs().Site + "/profile?canceled=true",
	}, nil)
}

func toggle(ctx context.Context, w *world) error {
	return w.people["admin"].Call(ctx, http.MethodPost, "/api/toggle-release-availability",
		map[string]any{"releaseId": w.release.ID, "version": w.release.Version, "isAvailable": true}, nil)
}

func signIn(ctx context.Context, w *world) error {
	return person.New(w.stack.URLs().Site).Call(ctx, http.MethodPost, "/api/auth/signin/google", map[string]string{"return_to": "/auth/callback"}, nil)
}

// fresh is a name that nothing has yet.
func (w *world) fresh(kind string) string { return kind + "-" + strings.ToLower(rand.Text()) }
