package account

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

const (
	leaves = "ann@fledge.test"
	// had is the address that her account began with.
	had = "formerly@fledge.test"
	// invited is another address of hers, which only the waitlist knows to be hers.
	invited = "invited-" + had
	// stays is somebody else, whose address ends alike.
	stays = "joann@fledge.test"
)

// kept are the columns that may still hold the account's id, see "When an account is deleted"
// in the services' READMEs. No column may hold the address.
var kept = map[string][]string{
	"identity": {"erasures.user_id", "erasure_answers.user_id", "audit_log.actor_id", "audit_log.subject", "audit_log.haystack", "outbox.subject", "outbox.payload"},
	"billing": {
		"account_states.user_id", "customers.user_id", "former_customers.user_id", "subscriptions.user_id",
		"credit_accounts.user_id", "credit_entries.user_id", "credit_grants.user_id", "credit_holds.user_id", "credit_keys.user_id", "credit_payments.user_id",
		"outbox.subject", "outbox.payload",
	},
	"waitlist": {"outbox.subject", "outbox.payload"},
	"support":  {"outbox.subject", "outbox.payload"},
	"releases": {"outbox.subject", "outbox.payload"},
	"kratos":   {},
}

// steps are the tables that the erasure of somebody who used everything writes to. The connection is
// ended once after the first write to each, as a kill of the service there would.
var steps = map[string]struct {
	witness string
	tables  []string
}{

	"identity": {"erasures", []string{"erasures", "outbox", "mail.river_job", "audit_log", "users", "user_roles"}},
	"billing":  {"inbox", []string{"inbox", "credit_entries", "packs_on_their_way", "outbox"}},
	"waitlist": {"inbox", []string{"inbox", "waitlist_users", "unconfirmed", "waves", "mail.river_job", "outbox"}},
	"support":  {"inbox", []string{"inbox", "tickets", "ticket_messages", "desk_staff", "staff_news", "ticket_viewers", "outbox"}},
	"releases": {"inbox", []string{"inbox", "user_channels", "outbox"}},
}

// stripeSteps are the tables that billing writes to in a transaction of its own, which begins with the first.
var stripeSteps = []string{"account_states", "customers", "subscriptions"}

// TestNothingIsLeftOfSomebodyWhoUsedEverything, also when the services are killed between any two
// steps of it.
func TestNothingIsLeftOfSomebodyWhoUsedEverything(t *testing.T) {
	t.Parallel()
	opts := stacktest.Options(t, stack.InProcess)
	stacktest.Patient(&opts)
	opts.Settings["billing"] = append(opts.Settings["billing"], "BILLING_MAILS=true", "LOW_CREDIT_MAILS=99", "NOTICE_INTERVAL=200ms")
	opts.Settings["gateway"] = append(opts.Settings["gateway"], append(stacktest.NoLimits(), "MAIL_REPORTS_SECRETS="+reportsSecret)...)
	s := stacktest.Start(t, opts)
	site := s.URLs().Site
	admin := signedIn(t, site, stack.AdminEmail)
	people := map[string]*person.Person{}
	for _, email := range []string{had, stays} {
		people[email] = usesEverything(t, s, admin, email)
	}
	ann := people[had]
	id := ann.ID()

	databases := map[string]*pgxpool.Pool{}
	for name := range kept {
		databases[name] = database(t, s, name)
	}
	// A sign-up that the installation of before had to be confirmed.
	if _, err := databases["waitlist"].Exec(t.Context(), `INSERT INTO unconfirmed (id, email, source, consent, created_at, mailed_at, ends_at)
		VALUES (gen_random_uuid(), $1, 'hero_section', 'words', now(), now(), now())`, leaves); err != nil {
		t.Fatal(err)
	}
	var customer string
	errtest.None(t, databases["billing"].QueryRow(t.Context(), "SELECT customer_id FROM customers WHERE user_id = $1", id).Scan(&customer))
	moves(t, s, ann)
	waittest.Eventually(t, "Stripe knows the new address", func() bool {
		return strings.Contains(asked(t, s.URLs().Stripe+"/v1/customers/"+customer), leaves)
	})
	staffForAWhile(t, admin, ann, people[stays])
	takesAlong(t, ann, stays, databases, leaves, had)
	sums := sumsOf(t, databases, id)
	stacktest.Call[any](t, ann, http.MethodPost, "/api/auth/delete-account", map[string]any{})
	var refused *person.APIError
	if err := ann.Call(t.Context(), http.MethodGet, "/api/auth/session", nil, nil); !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized {
		t.Errorf("the session of a deleted account: %v", err)
	}
	isTrue := func(name, query string, args ...any) bool {
		var yes bool
		err := databases[name].QueryRow(t.Context(), "SELECT EXISTS ("+query+")", args...).Scan(&yes)
		return err == nil && yes
	}
	waittest.Eventually(t, "billing knows that the account is disabled", func() bool {
		return isTrue("billing", "SELECT FROM account_states WHERE user_id = $1 AND state = 'disabled'", id)
	})
	for name, s := range steps {
		erasuretest.Kill(t, databases[name], s.witness, s.tables...)
	}
	erasuretest.Kill(t, databases["billing"], stripeSteps[0], stripeSteps...)
	// The time to take it back is over.
	if _, err := databases["identity"].Exec(t.Context(), "UPDATE users SET erase_at = now() WHERE id = $1", id); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the account is erased", func() bool {
		return isTrue("identity", "SELECT FROM erasures WHERE user_id = $1 AND finished_at IS NOT NULL", id)
	})
	for name, s := range steps {
		erasuretest.Killed(t, databases[name], s.tables...)
	}
	erasuretest.Killed(t, databases["billing"], stripeSteps...)
	for event, want := range map[string]int{"customer.subscription.deleted": 1, "customer.deleted": 1} {
		if got := strings.Count(asked(t, s.URLs().Stripe+"/v1/events?limit=100&type="+event), `"object": "event"`); got != want {
			t.Errorf("%s happened %d times at Stripe", event, got)
		}
	}
	if consents := asked(t, s.URLs().Providers+"/apple/consents"); consents != stays+"\n" {
		t.Errorf("Apple has the consent of %q", consents)
	}
	bounce(t, site, leaves, had)
	waittest.Seen(t, "the addresses are in no database", func() (bool, string) {
		var places []string
		for name, pool := range databases {
			for _, place := range erasuretest.Search(t, pool, leaves, had, invited) {
				places = append(places, name+" "+place)
			}
		}
		return len(places) == 0, strings.Join(places, ", ")
	})
	for name, pool := range databases {
		for _, place := range erasuretest.Search(t, pool, id) {
			if !slices.Contains(kept[name], place) {
				t.Errorf("the id is in %s's %s", name, place)
			}
		}
	}
	for _, name := range []string{"identity", "waitlist", "support", "billing", "kratos"} {
		if name != "billing" && len(erasuretest.Search(t, databases[name], stays)) == 0 {
			t.Errorf("%s is gone from %s, too", stays, name)
		}
	}
	waittest.Seen(t, "the addresses are in no stream", func() (bool, string) {
		var places []string
		for _, email := range []string{leaves, had, invited} {
			places = append(places, inFiles(t, s.NATSStore("nats"), email)...)
		}
		return len(places) == 0, strings.Join(places, ", ")
	})
	atStripe(t, s.URLs().Stripe, customer, id)
	if got := sumsOf(t, databases, id); got != sums {
		t.Errorf("the ledger and the audit log say %+v, before the deletion %+v", got, sums)
	}
	if err := people[stays].Call(t.Context(), http.MethodGet, "/api/get-credit-balance", nil, nil); err != nil {
		t.Errorf("somebody else: %v", err)
	}

	bounce(t, site, stays)
	for _, name := range []string{"identity", "waitlist", "support", "billing"} {
		if !slices.Contains(erasuretest.Search(t, databases[name], stays), "mail.reports.address") {
			t.Errorf("%s has not noted a bounce of somebody else's", name)
		}
	}
	stranger := signedIn(t, site, leaves)
	if stranger.ID() == id {
		t.Error("whoever comes back is the old account")
	}
	var mine struct{ Data []any }
	if err := stranger.Call(t.Context(), http.MethodGet, "/api/get-my-support-tickets", nil, &mine); err != nil || len(mine.Data) != 0 {
		t.Errorf("the stranger's tickets: %v, %v", mine.Data, err)
	}
}

// sums are what an erasure must leave as it is.
type sums struct {
	// Wrong are accounts whose balance is not the sum of their entries.
	Wrong int
	// Spent is what the account has used, Recorded how many changes by staff to it, and by it, are in the audit log.
	Spent, Recorded int
}

func sumsOf(t *testing.T, databases map[string]*pgxpool.Pool, id string) (s sums) {
	t.Helper()
	for name, query := range map[string]string{
		"billing": `SELECT count(*) FILTER (WHERE a.balance <> (SELECT coalesce(sum(e.amount), 0) FROM credit_entries e WHERE e.user_id = a.user_id)),
			(SELECT coalesce(-sum(e.amount), 0) FROM credit_entries e WHERE e.user_id = $1 AND e.kind = 'consume') FROM credit_accounts a`,
		"identity": "SELECT 0, count(*) FROM audit_log WHERE actor_id = $1 OR subject = $1::text",
	} {
		var wrong, counted int
		errtest.None(t, databases[name].QueryRow(t.Context(), query, id).Scan(&wrong, &counted))
		s.Wrong += wrong
		if name == "billing" {
			s.Spent = counted
		} else {
			s.Recorded = counted
		}
	}
	return s
}

// atStripe: the customer is deleted, and none is left that is found by the address or the id.
func atStripe(t *testing.T, origin, customer, id string) {
	t.Helper()
	all := asked(t, origin+"/v1/customers?limit=100")
	if strings.Contains(all, `"`+leaves+`"`) || strings.Contains(all, had) || strings.Contains(all, id) || !strings.Contains(all, stays) {
		t.Errorf("Stripe's customers are %s", all)
	}
	if body := asked(t, origin+"/v1/customers/"+customer); !strings.Contains(body, `"deleted": true`) || strings.Contains(body, leaves) || strings.Contains(body, had) {
		t.Errorf("Stripe says %s", body)
	}
}

// asked is what a stand-in answers.
func asked(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	errtest.None(t, err)
	req.Header.Set("Authorization", "Bearer "+stripe.SecretKey)
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, body, err)
	}
	return string(body)
}

// inFiles returns the files under dir that hold the word, not as the end of another.
func inFiles(t *testing.T, dir, word string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // NATS removes files meanwhile
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		for rest := content; ; {
			at := bytes.Index(rest, []byte(word))
			if at < 0 {
				return nil
			}
			if at == 0 || rest[at-1] < 'a' || rest[at-1] > 'z' {
				files = append(files, path)
				return nil
			}
			rest = rest[at+len(word):]
		}
	})
	errtest.None(t, err)
	return files
}

func signedIn(t *testing.T, site, email string) *person.Person {
	t.Helper()
	who := person.New(site)
	errtest.None(t, who.SignIn(t.Context(), email))
	return who
}

func database(t *testing.T, s *stack.Stack, name string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), s.DatabaseURL(name))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	return pool
}
