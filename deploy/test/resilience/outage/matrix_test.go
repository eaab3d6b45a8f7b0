package outage_test

import (
	"errors"
	"flag"
	"maps"
	"slices"
	"testing"
	"time"

	"fledge.dev/deploy/local/link"
	"fledge.dev/services/platform/errtest"
)

var all = flag.Bool("all", false, "the slow cells, too")

// row is a dependency, the ways in which it can be away, and what fails meanwhile: the
// acts with the code that says why. Every other act goes on.
type row struct {
	down  string
	forms map[string]form
	fails map[string]string
}

// healed is how soon all must be well once the databases take writes again.
const healed = 10 * time.Second

// form is a way to be away. Slow ones are left out unless -all asks for them.
type form struct {
	begin, end func() error
	slow       bool
}

// The longest that the product lets anybody wait (REQUEST_TIMEOUT and PAYMENT_TIMEOUT of
// the gateway), three times, for a machine that has other things to do.
const (
	bound        = 3 * 5 * time.Second
	paymentBound = 3 * 9500 * time.Millisecond
)

// either is for an act that fails or not, as what it needs is still remembered.
const either = "either"

// unavailable is for an act that fails because of one or another of its parts.
const unavailable = "any"

// The codes that say what is away.
const (
	noDatabase = "database_unavailable"
	noService  = "unavailable"
	noSignIn   = "sign_in_unavailable"
	noKratos   = "kratos_unavailable"
	noStripe   = "stripe_unavailable"
)

func failing(code string, names ...string) map[string]string {
	fails := map[string]string{}
	for _, name := range names {
		fails[name] = code
	}
	return fails
}

func with(fails ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, f := range fails {
		maps.Copy(all, f)
	}
	return all
}

// The parts of the product, and what each does by itself. Whether somebody is an admin, or
// their session has ended, is remembered for seconds (identityclient).
var (
	ofWaitlist = []string{"join", "waitlist state", "waitlist"}
	ofBilling  = []string{"plans", "credits", "subscription", "spend", "Stripe event", "checkout"}
	ofSupport  = []string{"ticket", "tickets"}
	ofReleases = []string{"releases", "toggle", "channel"}
	ofIdentity = []string{"account", "new token"}
	ofStaff    = []string{"users", "waitlist", "releases", "toggle"}
	ofActing   = append([]string{"spend", "checkout", "ticket", "credits", "subscription", "tickets", "waitlist state", "channel"}, ofStaff...)
	inFiles    = []string{"downloads", "download"}
)

// writes are what a database that is read-only refuses. A checkout writes if it is somebody's
// first.
var writes = []string{"join", "spend", "Stripe event", "ticket", "toggle", "new token"}

const readOnly = "read-only databases"

func rows(w *world) []row {
	return []row{
		{"Kratos", w.process("kratos", true), with(failing(noSignIn, "sign-in"), failing(noKratos, "new token"))},
		{"NATS", w.process("nats", true), nil},
		{"GitHub", w.links("releases", "github"), nil},
		{"Stripe", slow("behind a blackhole", w.links("billing", "stripe")), failing(noStripe, "checkout")},

		{"PostgreSQL of waitlist", w.links("waitlist", "postgres"), failing(noDatabase, append(ofWaitlist, "channel")...)},
		{"PostgreSQL of billing", w.links("billing", "postgres"), failing(noDatabase, ofBilling...)},
		{"PostgreSQL of support", w.links("support", "postgres"), failing(noDatabase, ofSupport...)},
		{"PostgreSQL of releases", w.links("releases", "postgres"), failing(noDatabase, ofReleases...)},
		{"PostgreSQL of identity", w.links("identity", "postgres"), with(failing(noDatabase, "new token"), failing(unavailable, "account"), failing(either, ofActing...))},
		{"PostgreSQL", w.process("postgres", false), with(failing(noDatabase, "join", "plans", "Stripe event"),
			failing(unavailable, slices.Concat(ofWaitlist[1:2], ofBilling[1:], ofSupport, ofReleases[2:], ofIdentity)...), failing(either, ofStaff...), failing(noSignIn, "sign-in"))},
		{readOnly, w.readOnly("waitlist", "billing", "support", "releases", "identity"), with(failing(noDatabase, writes...), failing(either, "checkout"))},

		{"waitlist", w.process("waitlist", false), failing(noService, append(ofWaitlist, "channel")...)},
		{"billing", slow("frozen", w.process("billing", false)), failing(noService, ofBilling...)},
		{"support", slow("frozen", w.process("support", false)), failing(noService, ofSupport...)},
		{"releases", slow("frozen", w.process("releases", false)), failing(noService, slices.Concat(ofReleases, inFiles)...)},
		{"identity", slow("frozen", w.process("identity", false)), with(failing(noService, ofIdentity...), failing(either, ofActing...))},
	}
}

// slow marks a form where everybody waits for a deadline.
func slow(name string, forms map[string]form) map[string]form {
	marked := forms[name]
	marked.slow = true
	forms[name] = marked
	return forms
}

// process is killed and comes back, is frozen and goes on and, where it has links,
// is behind a network that swallows everything.
func (w *world) process(name string, linked bool) map[string]form {
	program, err := w.stack.Program(name)
	if err != nil {
		panic(err)
	}
	forms := map[string]form{
		"killed": {begin: program.Kill, end: func() error { return program.Start(w.background) }},
		"frozen": {begin: program.Pause, end: program.Resume},
	}
	if linked {
		forms["behind a blackhole"] = w.links("", name)["behind a blackhole"]
	}
	return forms
}

// links are refused, as where nobody listens, or swallow everything.
func (w *world) links(from, to string) map[string]form {
	do := func(what func(link.Links)) func() error {
		return func() error { what(w.stack.Links(from, to)); return nil }
	}
	return map[string]form{
		"refusing":           {begin: do(link.Links.Refuse), end: do(link.Links.Heal)},
		"behind a blackhole": {begin: do(link.Links.Blackhole), end: do(link.Links.Heal)},
	}
}

// readOnly is what services meet after a failover when they are led to a standby, and where
// a provider takes the right to write from a database whose disk is full. The connections
// that were made meanwhile stay as they are.
func (w *world) readOnly(services ...string) map[string]form {
	do := func(sql string) func() error {
		return func() error {
			var errs []error
			for _, service := range services {
				errs = append(errs, w.asOwner(service, sql))
			}
			return errors.Join(errs...)
		}
	}
	return map[string]form{"until the failover is over": {
		begin: do(`ALTER ROLE CURRENT_USER SET default_transaction_read_only = on;
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = CURRENT_USER AND pid <> pg_backend_pid()`),
		end: do("ALTER ROLE CURRENT_USER RESET default_transaction_read_only"),
	}}
}

// TestOutages goes through the matrix on one product: everything else goes on, what
// fails says so within its time and never a false yes, and comes back by itself.
func TestOutages(t *testing.T) {
	if testing.Short() {
		t.Skip("takes each part of a whole product away, which takes minutes: `make test-long`, or `make outages`")
	}
	w := newWorld(t)
	for _, row := range rows(w) {
		for _, name := range slices.Sorted(maps.Keys(row.forms)) {
			form := row.forms[name]
			if form.slow && !*all {
				continue
			}
			t.Run(row.down+" "+name, func(t *testing.T) { w.cell(t, row, form) })
		}
	}
	if err := w.stack.Wait(cancelled()); err != nil {
		t.Error(err)
	}
}

func (w *world) cell(t *testing.T, row row, form form) {
	within := bound
	if row.down == "Stripe" {
		within = paymentBound
	}
	during, after := map[string]string{}, map[string]string{}
	for name := range acts {
		during[name], after[name] = row.fails[name], ""
	}
	w.together(t, after, within) // what is remembered for seconds is fresh
	errtest.None(t, form.begin())
	slowest, _ := w.together(t, during, within)
	errtest.None(t, form.end())
	_, recovery := w.together(t, after, within)
	if row.down == readOnly && recovery > healed {
		t.Errorf("recovered after %s", recovery)
	}
	w.keeps(t)
	t.Logf("slowest answer: %s; recovered after %s", slowest, recovery.Round(time.Millisecond))
}
