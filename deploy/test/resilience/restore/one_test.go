package restore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/postgres"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/state"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
	"fledge.dev/services/billing"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

const (
	leaver  = "leaver@fledge.test"
	script  = "../../../cluster/restore-one.sh"
	damaged = "billing"
)

// TestOneServiceGoesBackWhileTheOthersGoOn: billing's database is lost and comes back as it was before
// somebody else bought and another was erased, while people join the waitlist.
func TestOneServiceGoesBackWhileTheOthersGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a whole product of processes and restores a database below it, which takes minutes: `make test-long`")
	}
	requireClient(t)
	opts := stacktest.Options(t, stack.Processes)
	stacktest.Patient(&opts)
	opts.Settings["gateway"] = append(opts.Settings["gateway"], stacktest.NoLimits()...)
	opts.Settings["identity"] = append(opts.Settings["identity"], "DELETION_GRACE=0s")
	s := stacktest.Start(t, opts)
	site := s.URLs().Site
	account := use(t, s)
	gone, lateBuyer, spams, admin := person.New(site), person.New(site), person.New(site), person.New(site)
	errtest.None(t, spams.SignIn(t.Context(), "spams@fledge.test"))
	errtest.None(t, admin.SignIn(t.Context(), stack.AdminEmail))
	errtest.None(t, gone.SignIn(t.Context(), leaver))
	buy(t, s, gone)
	errtest.None(t, lateBuyer.SignIn(t.Context(), late))

	moment := time.Now().UTC().Format(time.RFC3339Nano)
	yesterday, err := state.Open(filepath.Join(t.TempDir(), "state"))
	errtest.None(t, err)
	copyRunning(t, s, opts.State, yesterday, func() {})
	recovered := serve(t, opts, yesterday)

	buy(t, s, lateBuyer)
	errtest.None(t, admin.Call(t.Context(), http.MethodPost, "/api/set-person-state", map[string]any{"userId": spams.ID(), "state": "disabled", "reason": "Sends spam"}, nil))
	standing := func(of *person.Person) string {
		return ask(t, s, damaged, "SELECT coalesce((SELECT state FROM account_states WHERE user_id = $1), 'active')", of.ID())
	}
	waittest.Eventually(t, "billing knows who is disabled", func() bool { return standing(spams) == "disabled" })
	errtest.None(t, gone.Call(t.Context(), http.MethodPost, "/api/auth/delete-account", map[string]any{}, nil))
	erased := func() bool {
		return ask(t, s, "identity", "SELECT count(*) FROM erasures WHERE user_id = $1 AND finished_at IS NOT NULL", gone.ID()) == "1"
	}
	waittest.Eventually(t, "who left is erased", erased)
	ledger := "SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '' ORDER BY r::text)), '') FROM credit_entries r WHERE user_id = $1"
	before, paid := ask(t, s, damaged, ledger, account), payments(t, s)

	joined := load(t, site)
	billing, err := s.Program(damaged)
	errtest.None(t, err)
	errtest.None(t, billing.Stop(t.Context()))
	inUse := superuser(t, s, opts.State)
	stopsHalfWay(t, s, moment, recovered, inUse)
	began := time.Now()
	t.Log(run(t, nil, script, damaged, moment, recovered, inUse.String()))
	if was := standing(gone) + " " + standing(spams); was != "active active" {
		t.Errorf("in the restored database they are %s", was)
	}
	bus, err := s.Program("nats")
	errtest.None(t, err)
	errtest.None(t, bus.Stop(t.Context()))
	errtest.None(t, os.RemoveAll(s.NATSStore("nats")))
	errtest.None(t, bus.Start(t.Context()))
	errtest.None(t, billing.Start(t.Context()))
	out := run(t, []string{"DATABASE_URL=" + s.DatabaseURL("identity")}, filepath.Join(opts.Programs, "identity"), "repeat-erasures", moment)
	if !strings.HasSuffix(out, "again: 1\n") {
		t.Error(out)
	}

	waittest.Eventually(t, "what was paid for since is there", func() bool { return balance(t, s, lateBuyer.ID()) == "50.00" })
	waittest.Seen(t, "who was erased and disabled is so again", func() (bool, string) {
		is := standing(gone) + " " + standing(spams)
		return is == "erased disabled", is
	})
	waittest.Seen(t, "no event is lost", func() (bool, string) {
		missing := unheard(t, s)
		return len(missing) == 0, strings.Join(missing, ", ")
	})
	t.Logf("from the script's start until billing had heard everything: %s", time.Since(began).Round(time.Millisecond))
	if n := joined(); n == 0 {
		t.Error("nobody joined meanwhile, which proves nothing")
	}
	if after := ask(t, s, damaged, ledger, account); after != before {
		t.Errorf("the ledger of an account is %s, was %s", after, before)
	}
	if err := stacktest.Buy(t.Context(), lateBuyer, site, s.URLs().Stripe); err == nil {
		t.Error("who bought since could buy again, and would be charged twice")
	}
	if after := payments(t, s); after != paid {
		t.Errorf("%d payments at Stripe, were %d", after, paid)
	}
	for _, service := range services.Names() {
		if n := ask(t, s, service, "SELECT count(*) FROM dead_letter"); n != "0" {
			t.Errorf("%s has %s dead letters", service, n)
		}
	}
	pool, err := pgxpool.New(t.Context(), s.DatabaseURL(damaged))
	errtest.None(t, err)
	defer pool.Close()
	if places, err := erasuretest.Find(t.Context(), pool, leaver); err != nil || len(places) > 0 {
		t.Errorf("the address of who was erased is in %q: %v", places, err)
	}
}

// stopsHalfWay has the copy fail: the database in use stays, and no other is left.
func stopsHalfWay(t *testing.T, s *stack.Stack, moment, recovered string, inUse *url.URL) {
	t.Helper()
	restore, err := exec.LookPath("pg_restore")
	errtest.None(t, err)
	bin := programs(t, map[string]string{"pg_restore": `[ "$1" != --version ] || exec ` + restore + ` "$@"; echo no space >&2; exit 1`})
	databases := func() string {
		return ask(t, s, "identity", "SELECT string_agg(oid || ' ' || datname, ',' ORDER BY oid) FROM pg_database")
	}
	before := databases()
	itself, byQuery := *inUse, *inUse
	itself.Path = "/fledge_" + damaged
	query := byQuery.Query()
	query.Set("dbname", "template1")
	byQuery.RawQuery = query.Encode()
	for to, want := range map[string]string{
		inUse.String():   "no space",
		byQuery.String(): "TO names its database elsewhere than in the path",
		itself.String():  "TO is fledge_billing itself",
		strings.Replace(recovered, "/fledge_"+damaged+"?", "/postgres?", 1): "FROM and TO are one server",
		"host=127.0.0.1 user=nobody":                                        "give FROM and TO as URLs",
	} {
		cmd := exec.CommandContext(t.Context(), script, damaged, moment, recovered, to)
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %s", err, out)
		}
		if after := databases(); after != before {
			t.Fatalf("there are the databases %s, were %s", after, before)
		}
	}
}

// programs are shell scripts by name, in a folder of their own.
func programs(t *testing.T, scripts map[string]string) (bin string) {
	t.Helper()
	bin = t.TempDir()
	for name, does := range scripts {
		errtest.None(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+does+"\n"), 0o755))
	}
	return bin
}

// TestWhatWouldFailIsRefusedBeforeAnythingChanges, in one line, with programs that only say a version.
func TestWhatWouldFailIsRefusedBeforeAnythingChanges(t *testing.T) {
	const ofVersion18 = `case "$*" in *"SHOW server_version_num") echo 180004 ;; *) echo "asked $*" ; exit 1 ;; esac`
	for name, c := range map[string]struct{ service, psql, client, want string }{
		"two together": {"identity", ofVersion18, "18", "error: identity and kratos know the same people"},
		"no service":   {"gateway", ofVersion18, "18", "error: gateway has no database"},
		"old client":   {"support", ofVersion18, "15", "error: this pg_dump is PostgreSQL 15 and the recovered server 18: use a client of 18 or newer."},
		"no server":    {"support", `case "$*" in *recovered*) echo nobody answers >&2; exit 1 ;; *) echo 180004 ;; esac`, "18", "nobody answers"},
	} {
		t.Run(name, func(t *testing.T) {
			version := func(program string) string {
				return "echo '" + program + " (PostgreSQL) " + c.client + ".3 (Debian 1)'"
			}
			bin := programs(t, map[string]string{"pg_dump": version("pg_dump"), "pg_restore": version("pg_restore"), "psql": c.psql})
			cmd := exec.CommandContext(t.Context(), script, c.service, "2026-11-21T20:15:00Z", "postgres://recovered/fledge_support", "postgres://in-use/postgres")
			cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
			if out, err := cmd.CombinedOutput(); err == nil || !strings.HasPrefix(string(out), c.want) || strings.Count(string(out), "\n") != 1 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// serve starts a server of a copied one and returns billing's database on it, as an operator has it.
func serve(t *testing.T, opts stack.Options, copied state.Dir) string {
	t.Helper()
	port, err := ports.New().Port()
	errtest.None(t, err)
	password, err := os.ReadFile(copied.Path("secrets", "postgres-superuser"))
	errtest.None(t, err)
	server, err := postgres.Start(t.Context(), postgres.Options{
		Bin: opts.Tools.PostgresBin, Dir: copied.Path("postgres"), Port: port,
		Password: strings.TrimSpace(string(password)), LogFile: copied.Log("postgres"),
	})
	errtest.None(t, err)
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	return strings.Replace(server.URL(), "/postgres?", "/fledge_"+damaged+"?", 1)
}

// load has people join until the function that it returns is called, which tells how many there were;
// each of them must be let in, and be on the list.
func load(t *testing.T, site string) (stop func() int) {
	ctx, leave := context.WithCancel(t.Context())
	left, n := make(chan error, 1), 0
	go func() {
		visitor := person.New(site)
		for ; ctx.Err() == nil; n++ {
			if err := join(t.Context(), visitor, fmt.Sprintf("meanwhile-%d@fledge.test", n)); err != nil {
				left <- err
				return
			}
		}
		left <- nil
	}()
	return func() int {
		leave()
		if err := <-left; err != nil {
			t.Errorf("while billing was away, %v", err)
		}
		return n
	}
}

// unheard are the events in the outboxes of others that billing takes and has not heard, and what waits to be told.
func unheard(t *testing.T, s *stack.Stack) (missing []string) {
	t.Helper()
	for _, service := range services.Names() {
		if n := ask(t, s, service, "SELECT count(*) FROM outbox WHERE stream_seq IS NULL"); n != "0" {
			missing = append(missing, n+" of "+service+" wait")
		}
	}
	for _, spec := range billing.Spec().Consumers {
		from := strings.Split(spec.Type, ".")[1]
		sent := ask(t, s, from, "SELECT coalesce(string_agg(id::text, ','), '') FROM outbox WHERE type = $1 AND NOT erased", spec.Type)
		for id := range strings.SplitSeq(sent, ",") {
			if id != "" && ask(t, s, damaged, "SELECT count(*) FROM inbox WHERE consumer = $1 AND event_id = $2::uuid", spec.Name, id) != "1" {
				missing = append(missing, spec.Name+" "+id)
			}
		}
	}
	return missing
}

// payments are the invoices that were paid at Stripe.
func payments(t *testing.T, s *stack.Stack) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URLs().Stripe+"/v1/events?limit=100&type=invoice.paid", nil)
	errtest.None(t, err)
	req.Header.Set("Authorization", "Bearer "+stripe.SecretKey)
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	var events struct{ Data []struct{} }
	errtest.None(t, json.NewDecoder(resp.Body).Decode(&events))
	return len(events.Data)
}

func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return string(out)
}

var major = regexp.MustCompile(`\) (\d+)`)

// requireClient skips where pg_dump is older than the product's server: it copies none of a newer version.
func requireClient(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "pg_dump", "--version").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("pg_dump is missing")
	}
	errtest.None(t, err)
	match := major.FindSubmatch(out)
	if match == nil {
		t.Fatalf("pg_dump says %q", out)
	}
	if has, _ := strconv.Atoi(string(match[1])); has < 18 {
		t.Skipf("pg_dump is of PostgreSQL %d, the server of 18", has)
	}
}
