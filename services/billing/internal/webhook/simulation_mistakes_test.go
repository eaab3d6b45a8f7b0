package webhook

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

var plant = flag.Bool("mistakes", false, "build the program with each of the mistakes and have the simulation find it")

// mistake is one that somebody could make: in each file a text becomes another.
type mistake struct {
	name  string
	edits []edit
}

type edit struct{ file, old, new string }

const (
	queries  = "../store/db/stripe.sql.go"
	syncing  = "../subscription/sync.go"
	grants   = "../store/functions/grants.sql"
	invoices = "../subscription/entitlement.go"
	prices   = "../plan/prices.go"
	back     = "../subscription/withdraw.go"
	packs    = "../subscription/pack.go"
	warnings = "../subscription/warning.go"
	tables   = "../store/migrations/00002_credits.sql"
	leaving  = "../standing/erase.go"
)

// anyFunctions has functions applied whose version does not say that they have changed.
var anyFunctions = edit{"../../../platform/pg/functions.go", "hash != f.hash", "hash == \"\""}

var mistakes = []mistake{
	{name: "no key of events", edits: []edit{
		{queries, "$6, $7) ON CONFLICT (id) DO NOTHING", "$6, $7)"},
		{"../store/migrations/00006_stripe.sql", "CREATE TABLE stripe_events (\n    id          text        PRIMARY KEY", "CREATE TABLE stripe_events (\n    id          text        NOT NULL"},
	}},
	{name: "Stripe is answered before the event is stored", edits: []edit{{
		"simulation_rounds_test.go", "err := is.inbox.Receive(", "s.lock.Lock()\n\ts.acked = append(s.acked, ev.id)\n\ts.lock.Unlock()\n\terr := is.inbox.Receive(",
	}}},
	{name: "the job is not in the event's transaction", edits: []edit{{
		"webhook.go", "return i.queue.insert(ctx, tx, ev.ID)\n\t})", "return nil\n\t})\n\tif err == nil && outcome == pending {\n" +
			"\t\terr = pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error { return i.queue.insert(ctx, tx, ev.ID) })\n\t}",
	}}},
	{name: "an event ends before it is applied", edits: []edit{{
		"worker.go", "err := apply(w, ctx, ev.Object)", "err := w.end(ctx, id, applied)\n\tif err == nil {\n\t\terr = apply(w, ctx, ev.Object)\n\t}",
	}}},
	{name: "the account is not locked", edits: []edit{{queries, "WHERE c.user_id = $1 FOR UPDATE", "WHERE c.user_id = $1"}}},
	{name: "what was overtaken is not read again", edits: []edit{{syncing, "stale = now.Syncs != owner.syncs || now.State != owner.state; stale", "stale = false; stale"}}},
	{name: "what Stripe said is remembered", edits: []edit{
		{syncing, "read, err := svc.read(ctx, id, owner.userID)", "read, err := svc.remembered(ctx, id, owner.userID)"},
		{syncing, "func (r reading) problem(about string)", "var memory = map[string]reading{}\n\nfunc (svc *Service) remembered(ctx context.Context, id string, owner uuid.UUID) (reading, error) {\n" +
			"\tif read, ok := memory[id]; ok {\n\t\treturn read, nil\n\t}\n\tread, err := svc.read(ctx, id, owner)\n\tif err == nil {\n\t\tmemory[id] = read\n\t}\n\treturn read, err\n}\n\nfunc (r reading) problem(about string)"},
	}},
	{name: "no key of grants, and what was granted is not looked up", edits: []edit{
		{tables, "CONSTRAINT credit_fact_once UNIQUE ", ""}, {grants, "ON CONFLICT (fact) DO NOTHING RETURNING id", "RETURNING id"}, anyFunctions,
		{syncing, "if have[e.grant.Fact] || ", "if "},
	}},
	{name: "a price that is offered no more sells nothing", edits: []edit{
		{prices, "return candidate.Offer.ProductID == productID })", "return false })"},
	}},
	{name: "what somebody has added to an invoice counts as a period", edits: []edit{{invoices, "ours && !l.Proration && !l.OneOff", "ours && !l.Proration"}}},
	{name: "a change is billed like a period", edits: []edit{{invoices, "ours && !l.Proration && !l.OneOff", "ours && !l.OneOff"}}},
	{name: "an upgrade gives the whole difference", edits: []edit{{invoices, "paid.rest(at, extra))", "extra)"}}},
	{name: "a dispute takes nothing until it is lost", edits: []edit{{back, `[]string{"needs_response", "under_review", "lost"}`, `[]string{"lost"}`}}},
	{name: "a dispute that is won gives nothing back", edits: []edit{{back, "!w.void)", "true)"}}},
	{name: "a pack counts as paid while its money is on its way", edits: []edit{
		{packs, "if sold.Processing && !sold.Paid {", "if false {"}, {packs, "err != nil || !sold.Paid {", "err != nil || !sold.Paid && !sold.Processing {"},
	}},
	{name: "a pack whose money has come stays on its way", edits: []edit{{packs, "svc.q.DropPackOnItsWay(ctx, tx, sold.ID)", "svc.q.DropPackOnItsWay(ctx, tx, \"\")"}}},
	{name: "an account has one pack", edits: []edit{{packs, `{ return "pack/" + checkoutID }`, `{ return "pack/" + checkoutID[:3] }`}}},
	{name: "what goes back of a pack takes nothing", edits: []edit{{back, "svc.syncPack(ctx, sold.ID, ask)", "svc.SyncPack(ctx, sold.ID)"}}},
	{name: "a warning holds nothing", edits: []edit{{warnings, "return true, []withdrawal{held}, ", "return true, nil, "}}},
	{name: "what a warning has held is not given back", edits: []edit{{warnings, `"Payment that was reviewed", true`, `"Payment that was reviewed", false`}}},
	{name: "a refund or a dispute closes no case of a warning", edits: []edit{{"worker.go", "if settles(ev.Type) {", "if false {"}}},
	{name: "a warning that is not settled closes its case", edits: []edit{{"worker.go", "odd || suspected {", "odd && !suspected {"}}},
	{name: "an erasure does not wait for Stripe", edits: []edit{{leaving, "customers, err = s.leave(ctx, account, customers); err != nil {", "customers, err = s.leave(ctx, account, customers); false {"}}},
	{name: "an erasure leaves a checkout open", edits: []edit{{leaving, "err := s.closeCheckouts(ctx, customer); err != nil {", "err := error(nil); err != nil {"}}},
	{name: "an erasure leaves unpaid invoices", edits: []edit{{leaving, "range invoices {", "range invoices[:0] {"}}},
	{name: "the answer is not in the erasure's transaction", edits: []edit{{
		"../../../platform/erasure/erasure.go", "return bus.Append(ctx, tx, bus.Event{Type: Erased(service), Subject: id.String(), Payload: answer})",
		"return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {\n\t\t\t\treturn bus.Append(ctx, tx, bus.Event{Type: Erased(service), Subject: id.String(), Payload: answer})\n\t\t\t})",
	}}},
	{name: "what is paid too late is not told", edits: []edit{{"../subscription/curb.go", "if at.After(since) {", "if at.After(since) && false {"}}},
	{name: "a pack of somebody who is gone comes back on its way", edits: []edit{{packs, "if owner.state == store.Erased {\n\t\t\treturn nil", "if false {\n\t\t\treturn nil"}}},
	{name: "what was read before an erasure is applied after it", edits: []edit{
		{syncing, "stale = now.Syncs != owner.syncs || now.State != owner.state; stale", "stale = now.Syncs != owner.syncs; stale"}, {leaving, "err := s.q.CountSync(ctx, tx, userID); err != nil {", "err := error(nil); err != nil {"},
	}},
	{name: "an older word of identity's counts", edits: []edit{{"../store/db/states.sql.go", "<> 'erased' AND account_states.since <= EXCLUDED.since", "<> 'erased'"}}},
	{name: "what a disabled person resumes is not stopped again", edits: []edit{{"../subscription/curb.go", "case !row.Renews && s.Renews():", "case false:"}}},
	{name: "an account that is enabled goes on to end", edits: []edit{{"../standing/standing.go", "if !sub.Stopped {", "if true {"}}},
	{name: "no key of withdrawals", edits: []edit{
		{tables, "CONSTRAINT credit_withdrawal_once PRIMARY KEY", "NOT NULL"},
		{grants, "taken, p_now) ON CONFLICT (fact) DO NOTHING", "taken, p_now)"}, anyFunctions,
	}},
}

// TestTheSimulationFindsMistakes plants each of them in a copy that only the compiler
// sees, and has the simulation look for it with up to 400 seeds: `make mistakes`. Without
// -mistakes it only sees to it that each can be planted.
func TestTheSimulationFindsMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			overlay := m.overlay(t)
			if !*plant {
				return
			}
			out, err := exec.CommandContext(t.Context(), "go", "test", "-vet", "off", "-overlay", overlay, "-run", "TestSimulatedCrashes", "-timeout", "1h", ".", "-args", "-simulations", "400").CombinedOutput()
			found := regexp.MustCompile(`seed \d+: [^;\n]*`).Find(out)
			if found == nil {
				t.Fatalf("400 seeds did not find it: %v\n%s", err, out)
			}
			t.Logf("%s", found)
		})
	}
}

// overlay writes the changed files, and the list that tells the compiler of them.
func (m mistake) overlay(t *testing.T) string {
	t.Helper()
	dir, changed, list := t.TempDir(), map[string]string{}, struct{ Replace map[string]string }{map[string]string{}}
	for i, e := range m.edits {
		path, err := filepath.Abs(e.file)
		errtest.None(t, err)
		if _, again := changed[path]; !again {
			content, err := os.ReadFile(path)
			errtest.None(t, err)
			changed[path] = string(content)
		}
		if n := strings.Count(changed[path], e.old); n != 1 {
			t.Fatalf("%s has %q %d times: the mistake cannot be planted", e.file, e.old, n)
		}
		changed[path] = strings.Replace(changed[path], e.old, e.new, 1)
		list.Replace[path] = filepath.Join(dir, strings.ReplaceAll(filepath.Base(path), ".", "_")+string(rune('a'+i)))
	}
	for path, content := range changed {
		errtest.None(t, os.WriteFile(list.Replace[path], []byte(content), 0o600))
	}
	encoded, err := json.Marshal(list)
	errtest.None(t, err)
	file := filepath.Join(dir, "overlay.json")
	errtest.None(t, os.WriteFile(file, encoded, 0o600))
	return file
}
