package account

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"testing"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/mac"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// usesEverything is somebody on the waitlist, approved, with an invitation to another address, who signs in with Apple
// and Google, on the site and on a Mac, with a plan, a pack on its way, a ticket with answers, and with roles, credits
// and a device that staff gave and took.
func usesEverything(t *testing.T, s *stack.Stack, admin *person.Person, email string) *person.Person {
	t.Helper()
	site := s.URLs().Site
	approved(t, site, admin, email)
	approved(t, site, admin, "invited-"+email)
	who := person.New(site)
	errtest.None(t, who.SignInWithApple(t.Context(), email))
	errtest.None(t, who.LinkGoogle(t.Context(), "google-"+email))
	stacktest.Call[any](t, who, http.MethodPost, "/api/claim-invitation", map[string]string{"claim": invitationTo(t, s.URLs().Mail, "invited-"+email)})
	errtest.None(t, who.Call(t.Context(), http.MethodPost, "/api/note-download", map[string]any{}, nil))
	errtest.None(t, stacktest.Buy(t.Context(), who, site, s.URLs().Stripe))
	waittest.Eventually(t, "the plan's credits", func() bool {
		var credits struct {
			Data struct {
				Balance float64 `json:"credit_balance"`
			} `json:"data"`
		}
		err := who.Call(t.Context(), http.MethodGet, "/api/get-credit-balance", nil, &credits)
		return err == nil && credits.Data.Balance > 0
	})
	waittest.Eventually(t, "a pack is bought", func() bool {
		return stacktest.BuyPackByBank(t.Context(), who, site, s.URLs().Stripe) == nil
	})
	waittest.Eventually(t, "a pack on its way", func() bool {
		var credits struct {
			Data struct {
				OnTheirWay []any `json:"onTheirWay"`
			} `json:"data"`
		}
		err := who.Call(t.Context(), http.MethodGet, "/api/get-token-balance", nil, &credits)
		return err == nil && len(credits.Data.OnTheirWay) == 1
	})
	stacktest.Call[any](t, who, http.MethodPost, "/api/consume-credits", map[string]any{"amount": 1, "description": "Generated screen", "idempotencyKey": "k1"})
	stacktest.Call[any](t, who, http.MethodPost, "/api/hold-credits", map[string]any{"amount": 2, "description": "A new app", "idempotencyKey": "h1"})
	app := stacktest.MacOf(t, site, who)
	if _, err := app.Report(t.Context(), mac.Report{
		Category: "bug", Priority: "urgent", Message: "It fails for " + email + ".", AppVersion: "1.2.3", OperatingSystem: "macOS 15.1",
	}); err != nil {
		t.Fatal(err)
	}
	ticket := stacktest.Call[struct{ Data []struct{ ID string } }](t, who, http.MethodGet, "/api/get-my-support-tickets", nil).Data[0].ID
	stacktest.Call[any](t, admin, http.MethodPut, "/api/update-support-ticket", map[string]any{"ticketId": ticket, "status": "resolved", "adminResponse": "Please update.", "version": 1})
	stacktest.Call[any](t, who, http.MethodPost, "/api/reply-support-ticket", map[string]any{"ticketId": ticket, "message": "Thanks, " + email + ".", "idempotencyKey": "r1"})
	for _, roles := range [][]string{{"user", "moderator"}, {"user"}} {
		stacktest.Call[any](t, admin, http.MethodPost, "/api/set-user-roles", map[string]any{"userId": who.ID(), "roles": roles, "reason": "A trial."})
	}
	stacktest.Call[any](t, admin, http.MethodPost, "/api/set-person-channel", map[string]any{"userId": who.ID(), "channel": "beta", "reason": "Helps us test."})
	stacktest.Call[any](t, admin, http.MethodPost, "/api/adjust-credits", map[string]any{"userId": who.ID(), "amount": 3, "reason": "Sorry.", "idempotencyKey": "a-" + email})
	phone := person.New(site)
	errtest.None(t, phone.SignIn(t.Context(), "google-"+email))
	if phone.ID() != who.ID() {
		t.Fatalf("Google opens the account %s, Apple %s", phone.ID(), who.ID())
	}
	type device struct {
		ID        string
		CreatedAt time.Time `json:"created_at"`
	}
	devices := stacktest.Call[struct{ Devices []device }](t, admin, http.MethodGet, "/api/get-person-devices?userId="+who.ID(), nil).Devices
	newest := slices.MaxFunc(devices, func(a, b device) int { return a.CreatedAt.Compare(b.CreatedAt) })
	errtest.None(t, admin.Call(t.Context(), http.MethodPost, "/api/revoke-person-device", map[string]any{"userId": who.ID(), "deviceId": newest.ID, "reason": "Lost."}, nil))
	return who
}

// moves gives somebody's account another address, and they sign in again.
func moves(t *testing.T, s *stack.Stack, who *person.Person) {
	t.Helper()
	environ, err := s.Settings("identity")
	errtest.None(t, err)
	commands := identity.Commands()
	command := commands[slices.IndexFunc(commands, func(c service.Command) bool { return c.Name == "change-address" })]
	if err := command.Run(t.Context(), service.Call{
		Args: []string{had, leaves, "Lost the old one"}, Environ: environ, Out: io.Discard,
		Runtime: service.NewRuntime("identity", "test", slog.New(slog.DiscardHandler)),
	}); err != nil {
		t.Fatal(err)
	}
	id := who.ID()
	errtest.None(t, who.SignInWithApple(t.Context(), had))
	if who.ID() != id {
		t.Fatalf("signed in to %s, not %s", who.ID(), id)
	}
}

// staffForAWhile has somebody, as an admin, change an account of somebody else, look at their ticket, and
// choose how to be told of tickets.
func staffForAWhile(t *testing.T, admin, who, other *person.Person) {
	t.Helper()
	set := func(by, of *person.Person, roles ...string) error {
		return by.Call(t.Context(), http.MethodPost, "/api/set-user-roles", map[string]any{"userId": of.ID(), "roles": roles, "reason": "On leave."}, nil)
	}
	errtest.None(t, set(admin, who, "user", "admin"))
	waittest.Eventually(t, "an admin's change", func() bool { return set(who, other, "user", "moderator") == nil })
	ticket := stacktest.Call[struct{ Data []struct{ ID string } }](t, other, http.MethodGet, "/api/get-my-support-tickets", nil).Data[0].ID
	waittest.Eventually(t, "an admin's look at a ticket", func() bool {
		return who.Call(t.Context(), http.MethodPost, "/api/view-support-ticket", map[string]any{"ticketId": ticket}, nil) == nil
	})
	stacktest.Call[any](t, who, http.MethodPost, "/api/set-support-notices", map[string]any{"notices": "daily"})
	errtest.None(t, set(admin, who, "user"))
}

// approved puts an address on the waitlist and lets it in.
func approved(t *testing.T, site string, admin *person.Person, email string) {
	t.Helper()
	stacktest.Call[any](t, person.New(site), http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": email, "source": "hero_section"})
	entries := stacktest.Call[struct{ Data []struct{ ID, Email string } }](t, admin, http.MethodGet, "/api/get-waitlist-users?search="+url.QueryEscape(email), nil).Data
	for _, entry := range entries {
		if entry.Email == email {
			stacktest.Call[any](t, admin, http.MethodPost, "/api/approve-waitlist-user", map[string]any{"waitlistUserId": entry.ID, "action": "approve"})
		}
	}
}

// invitationTo is the claim in the link of the approval email to the address.
func invitationTo(t *testing.T, mailbox, email string) (claim string) {
	t.Helper()
	var box struct{ Messages []struct{ Text string } }
	waittest.Eventually(t, "the approval email", func() bool {
		err := person.New(mailbox).Call(t.Context(), http.MethodGet, "/messages?to="+url.QueryEscape(email), nil, &box)
		return err == nil && len(box.Messages) == 1
	})
	found := regexp.MustCompile(`#claim=([\w-]{43})`).FindStringSubmatch(box.Messages[0].Text)
	if found == nil {
		t.Fatalf("no invitation in %s", box.Messages[0].Text)
	}
	return found[1]
}
