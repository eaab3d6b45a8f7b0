package keyring_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

// unit is a ring as the service runs it.
func unit(t *testing.T, r *replicas) (*keyring.Ring, *service.Runtime, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	rt := service.NewRuntime("identity", "test", obs.NewLogger(&log, "identity", 0))
	rt.Clock = r.clock
	ring := keyring.New(store.New(r.pool, nil, 5*time.Second), r.sealer, r.clock).Scheduled(keyring.Config{RotationInterval: r.every})
	stop, err := ring.Unit(rt).Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() {
		if err := stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return ring, rt, &log
}

func TestAReloadThatFailsKeepsTheRing(t *testing.T) {
	r := newReplicas(t, 0, time.Hour)
	ring, rt, log := unit(t, r)
	kid, _ := ring.Signing()
	for _, spoil := range []string{
		`ALTER TABLE keys RENAME TO hidden`,
		`ALTER TABLE hidden RENAME TO keys`,
		`UPDATE keys SET sealed = '\x00'`,
	} {
		if _, err := r.pool.Exec(t.Context(), spoil); err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(6 * time.Minute)
		ring.Reload(t.Context(), rt)
		stale := rt.Health.Check(t.Context()).Checks["keys"] != nil
		if reloaded := strings.HasPrefix(spoil, "ALTER TABLE hidden"); stale == reloaded {
			t.Errorf("after %q: shown as stale: %t", spoil, stale)
		}
		if now, _ := ring.Signing(); now != kid || len(published(t, ring)) != 1 {
			t.Errorf("after %q it signs with %q", spoil, now)
		}
	}
	if n := strings.Count(log.String(), "keys were not reloaded"); n != 2 {
		t.Errorf("%d failures in the log:\n%s", n, log)
	}
	want := "# HELP identity_key_reloads_failed_total Readings of the keys that failed; the ring before them stayed in use.\n" +
		"# TYPE identity_key_reloads_failed_total counter\nidentity_key_reloads_failed_total 2\n"
	if err := testutil.GatherAndCompare(rt.Metrics, strings.NewReader(want), "identity_key_reloads_failed_total"); err != nil {
		t.Error(err)
	}
}

func TestKeysAreMeasured(t *testing.T) {
	r := newReplicas(t, 0, time.Hour)
	ring, rt, log := unit(t, r)
	r.clock.Advance(time.Hour - keyring.Lead)
	ring.Reload(t.Context(), rt)
	want := `# HELP identity_key_active_age_seconds Seconds since the active key took over, by purpose.
# TYPE identity_key_active_age_seconds gauge
identity_key_active_age_seconds{purpose="access_token"} 2100
identity_key_active_age_seconds{purpose="refresh_token"} 2100
# HELP identity_keys Keys by purpose and state (next, active, retired).
# TYPE identity_keys gauge
identity_keys{purpose="access_token",state="active"} 1
identity_keys{purpose="access_token",state="next"} 1
identity_keys{purpose="access_token",state="retired"} 0
identity_keys{purpose="refresh_token",state="active"} 1
identity_keys{purpose="refresh_token",state="next"} 1
identity_keys{purpose="refresh_token",state="retired"} 0
`
	if err := testutil.GatherAndCompare(rt.Metrics, strings.NewReader(want), "identity_key_active_age_seconds", "identity_keys"); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "keys changed") {
		t.Errorf("nothing in the log:\n%s", log)
	}
}
