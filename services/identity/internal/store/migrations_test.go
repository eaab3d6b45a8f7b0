package store_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
)

// Replicas of the version before devices know neither device_name nor
// last_active_at: while they are being replaced, browsers sign in at them too.
func TestOlderReplicasStillOpenFamilies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann := f.person("ann@example.com", 0)
	f.exec(`INSERT INTO session_families (id, user_id, kratos_session_id, generation, leaf_hash, rotated_at, created_at, expires_at, user_agent, ip_address)
		VALUES (gen_random_uuid(), $1, gen_random_uuid(), 0, sha256(''), $2, $2, $3, '', '')`, ann.ID, epoch, epoch.AddDate(0, 0, 30))
	families, err := f.Families(t.Context(), ann.ID, epoch, 10)
	if err != nil || len(families) != 1 || families[0].Device.Name != "" || families[0].LastActiveAt.IsZero() {
		t.Errorf("%+v, %v", families, err)
	}
}

// TestJobsKeepTheirLastRuns under the names of their tasks, of which one has run before the
// migration here.
func TestJobsKeepTheirLastRuns(t *testing.T) {
	t.Parallel()
	migration, err := os.ReadFile("migrations/00009_job_names.sql")
	errtest.None(t, err)
	f := newFixture(t)
	f.exec(`INSERT INTO job_runs (job, began_at) VALUES ('sweep', $1), ('walk', $1), ('kratos_reconcile', $2)`, epoch, epoch.Add(time.Hour))
	for range 2 {
		f.exec(string(migration))
		var jobs []string
		errtest.None(t, f.pool.QueryRow(t.Context(), "SELECT array_agg(job ORDER BY job) FROM job_runs").Scan(&jobs))
		if want := []string{"kratos_full_reconcile", "kratos_reconcile"}; !slices.Equal(jobs, want) {
			t.Errorf("the jobs are %q, want %q", jobs, want)
		}
	}
	for job, want := range map[string]time.Time{"kratos_full_reconcile": epoch, "kratos_reconcile": epoch.Add(time.Hour)} {
		if last, err := f.LastRun(t.Context(), job); err != nil || !last.Equal(want) {
			t.Errorf("%s last ran at %s, %v", job, last, err)
		}
	}
}
