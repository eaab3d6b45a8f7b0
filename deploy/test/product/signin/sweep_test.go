package signin

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/gateway"
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

var accounts = flag.Int("accounts", 2_000, "how many TestASweepOfKratos compares")

// Each account is a copy of one that signed in, with ids that follow from its number.
const (
	inKratos = `
		INSERT INTO identities SELECT c.* FROM identities o, generate_series(1, $2) n,
			jsonb_populate_record(o, jsonb_build_object('id', md5('account' || n)::uuid, 'traits', jsonb_set(o.traits, '{email}', to_jsonb('sweep' || n || '@example.test')))) c
			WHERE o.id = $1;
		INSERT INTO identity_verifiable_addresses SELECT c.* FROM identity_verifiable_addresses o, generate_series(1, $2) n,
			jsonb_populate_record(o, jsonb_build_object('id', md5('address' || n)::uuid, 'identity_id', md5('account' || n)::uuid, 'value', 'sweep' || n || '@example.test')) c
			WHERE o.identity_id = $1;
		INSERT INTO identity_credentials SELECT c.* FROM identity_credentials o, generate_series(1, $2) n,
			jsonb_populate_record(o, jsonb_build_object('id', md5(o.id || 'credential' || n)::uuid, 'identity_id', md5('account' || n)::uuid)) c
			WHERE o.identity_id = $1;
		INSERT INTO identity_credential_identifiers SELECT c.* FROM identity_credential_identifiers o
			JOIN identity_credentials k ON k.id = o.identity_credential_id, generate_series(1, $2) n,
			jsonb_populate_record(o, jsonb_build_object('id', md5(o.id || 'identifier' || n)::uuid, 'identity_id', md5('account' || n)::uuid,
				'identity_credential_id', md5(k.id || 'credential' || n)::uuid, 'identifier', o.identifier || n)) c
			WHERE k.identity_id = $1;
		INSERT INTO sessions SELECT c.* FROM sessions o, generate_series(1, $2) n,
			jsonb_populate_record(o, jsonb_build_object('id', md5('session' || n)::uuid, 'identity_id', md5('account' || n)::uuid, 'token', 'token' || n, 'logout_token', 'logout' || n)) c
			WHERE o.identity_id = $1;
		INSERT INTO session_devices SELECT c.* FROM session_devices o JOIN sessions s ON s.id = o.session_id, generate_series(1, $2) n,
			jsonb_populate_record(o, jsonb_build_object('id', md5('device' || n)::uuid, 'session_id', md5('session' || n)::uuid)) c
			WHERE s.identity_id = $1`
	inIdentity = `
		INSERT INTO users SELECT c.* FROM users o, generate_series(1, $2) n,
			jsonb_populate_record(o, jsonb_build_object('id', md5('account' || n)::uuid, 'email', 'sweep' || n || '@example.test')) c
			WHERE o.id = $1;
		INSERT INTO user_roles (user_id, role, granted_at) SELECT md5('account' || n)::uuid, 'user', now() FROM generate_series(1, $2) n WHERE $1::uuid IS NOT NULL;
		INSERT INTO session_families SELECT c.* FROM session_families o, generate_series(1, $2) n,
			jsonb_populate_record(o, jsonb_build_object('id', md5('family' || n)::uuid, 'user_id', md5('account' || n)::uuid, 'kratos_session_id', md5('session' || n)::uuid)) c
			WHERE o.user_id = $1;
		DELETE FROM job_runs WHERE $1::uuid IS NOT NULL AND $2::int > 0`
)

// TestASweepOfKratos compares accounts that are all signed in with a Kratos that has each of them, by both
// reconciliations. Nobody is found to differ. What it costs is in the test's log.
func TestASweepOfKratos(t *testing.T) {
	if testing.Short() {
		t.Skip("makes and compares thousands of accounts, to see what it costs; that nobody differs has faster tests: `make test-long`")
	}
	w := emptyWorld(t)
	addr, grpcAddr, hookAddr := w.addr(), w.addr(), w.addr()
	w.lead(addr, hookAddr)
	own := map[string]string{"GRPC_ADDR": grpcAddr, "HOOK_ADDR": hookAddr}
	rt, stop := launch(t, "identity", identity.New, w.shared, w.identitySettings, own)
	w.startKratos()
	run(t, "gateway", gateway.New, w.shared, w.gatewaySettings, map[string]string{"HTTP_ADDR": addr, "IDENTITY_ADDR": grpcAddr})
	ann := w.browser(t)
	ann.signIn("google", "ann@fledge.test")
	id := ann.session().User.ID
	signedIn := float64(time.Now().Unix())
	waittest.Eventually(t, "her account is as in Kratos", func() bool {
		return counted(t, rt.Metrics, "periodic_last_success_timestamp_seconds", "kratos_full_reconcile") > signedIn+1
	})
	stop()
	fill(t, string(w.kratosConfig.DatabaseURL), inKratos, id)
	fill(t, w.identitySettings["DATABASE_URL"], inIdentity, id)

	w.identitySettings["KRATOS_RECONCILE_INTERVAL"], w.identitySettings["KRATOS_FULL_RECONCILE_INTERVAL"] = "10m", "24h"
	before := w.kratosSeconds()
	rt, _ = launch(t, "identity", identity.New, w.shared, w.identitySettings, own)
	for _, task := range []string{"kratos_reconcile", "kratos_full_reconcile"} {
		within(t, time.Hour, task+" is done", func() bool { return counted(t, rt.Metrics, "periodic_last_success_timestamp_seconds", task) > 0 })
		if n := counted(t, rt.Metrics, "identity_kratos_accounts_seen_total", task); int(n) != *accounts+1 {
			t.Errorf("%s has compared %v accounts, want %d", task, n, *accounts+1)
		}
		t.Logf("%s: %d accounts in %.1f s", task, *accounts, counted(t, rt.Metrics, "periodic_run_seconds", task, "done"))
	}
	t.Logf("CPU time of Kratos for both: %.1f s", w.kratosSeconds()-before)
	for _, effect := range []string{"added", "repaired", "disabled", "enabled", "unverified", "implausible"} {
		if n := counted(t, rt.Metrics, "identity_kratos_accounts_changed_total", effect); n != 0 {
			t.Errorf("%v accounts were %s", n, effect)
		}
	}
	if n := counted(t, rt.Metrics, "identity_kratos_families_ended_total"); n != 0 {
		t.Errorf("%v devices were signed out", n)
	}
}

// within is waittest.Eventually with a longer patience.
func within(t *testing.T, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// fill runs statements on a database, each with the account that is copied and how many copies there are to be.
func fill(t *testing.T, database, statements, id string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	errtest.None(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	for statement := range strings.SplitSeq(statements, ";") {
		if _, err := conn.Exec(t.Context(), statement, id, *accounts); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if _, err := conn.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

// kratosSeconds is the CPU time that Kratos has used so far, where /proc tells it.
func (w *world) kratosSeconds() float64 {
	w.t.Helper()
	const perSecond = 100 // USER_HZ
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(w.kratos.PID()) + "/stat")
	fields := strings.Fields(string(stat[max(0, strings.LastIndex(string(stat), ")")):]))
	var ticks float64
	for _, i := range []int{12, 13} { // utime and stime, after the name
		if i < len(fields) {
			n, _ := strconv.ParseFloat(fields[i], 64)
			ticks += n
		}
	}
	return ticks / perSecond
}
