package jobs_test

import (
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/jobs"
	"fledge.dev/services/platform/pgtest"
)

// TestAMigrationWaitsForNoneThatIsGone in the midst of its work, and whose network was cut.
func TestAMigrationWaitsForNoneThatIsGone(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmpty(t)
	way := pgtest.NewWay(t, url, "CREATE SCHEMA")
	way.AwaitCut(func() error { return jobs.Migrate(t.Context(), way.URL, "jobs") })
	began := time.Now()
	errtest.None(t, jobs.Migrate(t.Context(), url, "jobs"))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("after %s", took)
	}
}
