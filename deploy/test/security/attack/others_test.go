package attack

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// things are bea's, which ann should not get at.
type things struct{ user, ticket, hold, device, checkout, ticketCursor, creditCursor string }

// settle gives bea her things and waits until nothing happens by itself any more.
func (p *product) settle() {
	p.Helper()
	errtest.None(p, p.people["admin"].Call(p.Context(), http.MethodPost, "/api/set-user-roles", map[string]any{"userId": p.people["mod"].ID(), "roles": []string{"moderator"}, "reason": "because"}, nil))
	errtest.None(p, stacktest.Buy(p.Context(), p.people["bea"], p.site, p.stack.URLs().Stripe))
	p.paid("bea")
	waittest.Eventually(p.T, "GitHub's releases are here", func() bool { return p.ask("releases", "SELECT count(*) FROM releases") != "0" })
	p.begun = len(p.log("postgres"))
}

type data[T any] struct {
	Data       T
	NextCursor string
}

func (p *product) beasThings() (its things) {
	p.Helper()
	its.user = p.people["bea"].ID()
	for i := range 2 {
		spend := map[string]any{"amount": 0.5, "description": "screen", "idempotencyKey": fmt.Sprintf("spend-%d", i)}
		call[struct{ ID string }](p, "bea", http.MethodPost, "/api/consume-credits", spend)
		ticket := map[string]any{"category": "bug", "message": "bea's secret", "idempotencyKey": fmt.Sprintf("ticket-%d", i)}
		its.ticket = call[data[struct{ ID string }]](p, "bea", http.MethodPost, "/api/create-support-ticket", ticket).Data.ID
	}
	hold := map[string]any{"amount": 1, "description": "screen", "idempotencyKey": "hold", "lifetimeSeconds": 3600}
	its.hold = call[struct{ HoldID string }](p, "bea", http.MethodPost, "/api/hold-credits", hold).HoldID
	its.device = call[data[[]struct{ ID string }]](p, "bea", http.MethodGet, "/api/auth/devices", nil).Data[0].ID
	its.ticketCursor = call[data[any]](p, "bea", http.MethodGet, "/api/get-my-support-tickets?limit=1", nil).NextCursor
	its.creditCursor = call[data[any]](p, "bea", http.MethodGet, "/api/get-credit-history?limit=1", nil).NextCursor
	var sessions struct{ Data []struct{ ID string } }
	atStripe := person.NewThrough(p.stack.URLs().Stripe, spy(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+stripe.SecretKey) }))
	customer := p.ask("billing", "SELECT customer_id FROM customers WHERE user_id = '"+its.user+"'")
	errtest.None(p, atStripe.Call(p.Context(), http.MethodGet, "/v1/checkout/sessions?customer="+customer, nil, &sessions))
	its.checkout = sessions.Data[0].ID
	for name, value := range map[string]string{"ticket": its.ticket, "hold": its.hold, "device": its.device, "checkout": its.checkout, "cursors": its.ticketCursor + its.creditCursor} {
		if value == "" {
			p.Fatalf("bea has no %s", name)
		}
	}
	return its
}

// ids are the fields and parameters that name a thing, a place in a list or a
// request that came before.
var ids = regexp.MustCompile(`(?i)(id|ids|cursor|key)$`)

// forSale are the same for everybody.
var forSale = []string{"productId", "priceId"}

// othersThings has ann name bea's things in every place where a customer names one. A
// route or a field that nobody tried fails.
func (p *product) othersThings() {
	its := p.beasThings()
	ours := p.site + "/profile"
	tried := map[string]bool{}
	refused := func(route, field, body string, status int, code string) {
		p.Helper()
		tried[route+" "+field] = true
		p.refuses(attack{"bea's " + field, "ann", route, body, status, code})
	}
	refused("POST /api/create-checkout-session", "userId",
		fmt.Sprintf(`{"productId":"x","priceId":"y","successUrl":%q,"cancelUrl":%q,"userId":%q}`, ours, ours, its.user), http.StatusForbidden, "forbidden")
	refused("POST /api/create-portal-session", "userId", fmt.Sprintf(`{"returnUrl":%q,"userId":%q}`, ours, its.user), http.StatusForbidden, "forbidden")
	refused("POST /api/create-portal-session", "userId", fmt.Sprintf(`{"returnUrl":%q,"userId":%q}`, ours, strings.ToUpper(its.user)), http.StatusForbidden, "forbidden")
	refused("POST /api/sync-checkout-session", "sessionId", fmt.Sprintf(`{"sessionId":%q}`, its.checkout), http.StatusNotFound, "")
	for route, body := range map[string]string{
		"POST /api/consume-credits": `{"amount":1,"description":"screen","idempotencyKey":"hers","userId":%q}`, "POST /api/hold-credits": `{"amount":1,"description":"screen","idempotencyKey":"hers","userId":%q}`,
		"POST /api/settle-credits": `{"holdId":"` + its.hold + `","amount":1,"userId":%q}`,
	} {
		refused(route, "userId", fmt.Sprintf(body, its.user), http.StatusForbidden, "forbidden")
	}
	refused("POST /api/settle-credits", "holdId", fmt.Sprintf(`{"holdId":%q,"amount":1}`, its.hold), http.StatusNotFound, "")
	refused("POST /api/settle-credits", "holdId", fmt.Sprintf(`{"holdId":%q,"amount":0}`, its.hold), http.StatusNotFound, "")
	refused("POST /api/reply-support-ticket", "ticketId", fmt.Sprintf(`{"ticketId":%q,"message":"hers is mine","idempotencyKey":"a"}`, its.ticket), http.StatusNotFound, "")
	tried["GET /api/get-my-earlier-support-messages id"] = true
	p.refuses(attack{"bea's ticket", "ann", "GET /api/get-my-earlier-support-messages?id=" + its.ticket + "&before=" + its.ticket, "", http.StatusNotFound, "ticket_not_found"})
	refused("POST /api/auth/revoke-device", "device_id", fmt.Sprintf(`{"device_id":%q}`, its.device), http.StatusNotFound, "")
	var addressed []attack
	for _, route := range []string{
		"GET /api/get-subscription", "GET /api/get-credit-balance", "GET /api/get-token-balance", "GET /api/get-credit-history", "GET /api/export-credit-history", "GET /api/auth/user", "GET /api/auth/devices",
		"GET /api/get-my-support-tickets", "GET /api/is-admin", "GET /api/get-waitlist-status", "GET /api/get-update-channel",
	} {
		for _, name := range []string{"user_id", "userId", "id", "email"} {
			addressed = append(addressed, attack{"bea in the address", "ann", route + "?" + name + "=" + its.user, "", http.StatusBadRequest, "unknown_parameter"})
		}
	}
	p.refuses(addressed...)
	p.sharedNames(its, tried)
	p.nothingUntried(tried)
}

// sharedNames are cursors and keys of bea's, which mean something else in ann's hands.
func (p *product) sharedNames(its things, tried map[string]bool) {
	p.Helper()
	for route, cursor := range map[string]string{"GET /api/get-my-support-tickets": its.ticketCursor, "GET /api/get-credit-history": its.creditCursor} {
		tried[route+" cursor"] = true
		if a := p.send(p.request("ann", route+"?cursor="+url.QueryEscape(cursor), "")); a.status != http.StatusOK || !strings.Contains(a.body, `"data":[]`) {
			p.Errorf("%s with bea's cursor: %d %s", route, a.status, a.body)
		}
	}
	balance := func() float64 {
		return call[data[struct{ Balance float64 }]](p, "bea", http.MethodGet, "/api/get-token-balance", nil).Data.Balance
	}
	before := balance()
	for route, body := range map[string]string{
		"POST /api/consume-credits": `{"amount":0.5,"description":"screen","idempotencyKey":"spend-0"}`,
		"POST /api/hold-credits":    `{"amount":1,"description":"screen","idempotencyKey":"hold","lifetimeSeconds":3600}`,
	} {
		tried[route+" idempotencyKey"] = true
		// Ann has no credits: bea's answer must not be hers, nor bea's money.
		if a := p.send(p.request("ann", route, body)); a.status != http.StatusConflict || strings.Contains(a.body, its.hold) {
			p.Errorf("%s with bea's key: %d %s", route, a.status, a.body)
		}
	}
	if after := balance(); after != before {
		p.Errorf("bea had %v and has %v", before, after)
	}
	tried["POST /api/create-support-ticket idempotencyKey"], tried["POST /api/reply-support-ticket idempotencyKey"] = true, true
	own := call[data[struct {
		ID, Message string
	}]](p, "ann", http.MethodPost, "/api/create-support-ticket", map[string]any{"category": "bug", "message": "ann's own", "idempotencyKey": "ticket-1"}).Data
	if own.ID == its.ticket || own.Message != "ann's own" {
		p.Errorf("with bea's key ann got %+v", own)
	}
	replied := map[string]any{"ticketId": own.ID, "message": "more", "idempotencyKey": "ticket-0"}
	if got := call[data[struct{ ID string }]](p, "ann", http.MethodPost, "/api/reply-support-ticket", replied).Data; got.ID != own.ID {
		p.Errorf("a reply with bea's key: %+v", got)
	}
}

// nothingUntried asks the description which places a customer can name a thing in.
func (p *product) nothingUntried(tried map[string]bool) {
	p.Helper()
	for _, op := range p.operations() {
		if !op.bearers() || p.staffOnly(op) {
			continue
		}
		var fields []string
		for _, parameter := range op.Parameters {
			fields = append(fields, parameter.Value.Name)
		}
		if op.takes("application/json") {
			fields = slices.AppendSeq(fields, maps.Keys(op.RequestBody.Value.Content["application/json"].Schema.Value.Properties))
		}
		for _, field := range fields {
			if ids.MatchString(field) && !slices.Contains(forSale, field) && !tried[op.route+" "+field] {
				p.Errorf("nobody tried somebody else's %s in %s", field, op.route)
			}
		}
	}
}

func (p *product) staffOnly(op operation) bool {
	p.Helper()
	if op.route == "POST /api/auth/delete-account" {
		return false // and she is still needed
	}
	return p.send(p.request("ann", op.route, "")).status == http.StatusForbidden
}
