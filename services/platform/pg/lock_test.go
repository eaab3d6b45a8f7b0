package pg_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

const lockName = "a test's lock"

// holderURL makes this test's binary the process of a replica that holds the lock.
const holderURL = "FLEDGE_TEST_LOCK_HOLDER"

// TestLockHolder is the other process of TestALockOutlivesNoHolder.
func TestLockHolder(t *testing.T) {
	url := os.Getenv(holderURL)
	if url == "" {
		t.Skip("is run by TestALockOutlivesNoHolder")
	}
	held, err := pg.TryLock(t.Context(), replicaPool(t, url), lockName)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	_, _ = os.Stdout.WriteString("held\n")
	for t.Context().Err() == nil {
		if _, err := held.Exec(t.Context(), "SELECT"); err != nil {
			t.Fatal(err)
		}
	}
}

func replicaPool(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	return pgtest.Open(t, url)
}

// TestALockOutlivesNoHolder that is gone without closing its connection.
func TestALockOutlivesNoHolder(t *testing.T) {
	t.Parallel()
	for name, hold := range map[string]func(t *testing.T, url string) (die func()){
		"silent": func(t *testing.T, url string) func() {
			take(t, replicaPool(t, url))
			return func() {}
		},
		"its network is cut": func(t *testing.T, url string) func() {
			way := pgtest.NewWay(t, url, "")
			take(t, replicaPool(t, way.URL))
			return way.Cut
		},
		"its network is cut as it takes the lock": func(t *testing.T, url string) func() {
			way := pgtest.NewWay(t, url, lockName)
			way.AwaitCut(func() error {
				_, err := pg.TryLock(t.Context(), replicaPool(t, way.URL), lockName)
				return err
			})
			pool, taken := replicaPool(t, url), 0
			waittest.Eventually(t, "the lock is taken", func() bool {
				errtest.None(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks
					WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&taken))
				return taken == 1
			})
			return func() {}
		},
		"its process is stopped": func(t *testing.T, url string) func() {
			holder := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLockHolder$")
			holder.Env = append(os.Environ(), holderURL+"="+url)
			output, err := holder.StdoutPipe()
			errtest.None(t, err)
			errtest.None(t, holder.Start())
			t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
			if _, err := io.ReadFull(output, make([]byte, len("held\n"))); err != nil {
				t.Fatal(err)
			}
			return func() { _ = holder.Process.Signal(syscall.SIGSTOP) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.NewEmpty(t)
			die := hold(t, url)
			other := replicaPool(t, url)
			if held, err := pg.TryLock(t.Context(), other, lockName); held != nil || err != nil {
				t.Fatal("two hold the lock", err)
			}
			die()
			began := time.Now()
			waittest.Eventually(t, "another replica gets the lock", func() bool {
				held, err := pg.TryLock(t.Context(), other, lockName)
				errtest.None(t, err)
				if held == nil {
					return false
				}
				_ = held.Close(t.Context())
				return true
			})
			if took := time.Since(began); took > time.Minute {
				t.Errorf("after %s", took)
			}
		})
	}
}

// TestALockThatAnotherHasLeavesTheConnectionAsItWas, which goes back to the pool.
func TestALockThatAnotherHasLeavesTheConnectionAsItWas(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmpty(t)
	take(t, replicaPool(t, url))
	other := replicaPool(t, url+"&pool_max_conns=1")
	if held, err := pg.TryLock(t.Context(), other, lockName); held != nil || err != nil {
		t.Fatal("two hold the lock", err)
	}
	var set int
	errtest.None(t, other.QueryRow(t.Context(), "SELECT count(*) FROM pg_settings WHERE name LIKE 'idle%timeout' AND source = 'session'").Scan(&set))
	if set != 0 {
		t.Errorf("%d settings are left", set)
	}
}

func take(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	held, err := pg.TryLock(t.Context(), pool, lockName)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	t.Cleanup(func() { _ = held.Close(context.Background()) })
}

// TestAMigrationWaitsForNoneThatIsGone in the midst of its work, and whose network was cut.
func TestAMigrationWaitsForNoneThatIsGone(t *testing.T) {
	t.Parallel()
	set := build(t, pgtest.NewEmpty(t), 1)
	began := time.Now()
	var others sync.WaitGroup
	for _, last := range []string{"CREATE TABLE x", "CREATE OR REPLACE FUNCTION"} {
		url := pgtest.NewEmpty(t)
		way := pgtest.NewWay(t, url, last)
		way.AwaitCut(func() error { return pg.Migrate(t.Context(), way.URL, set) })
		others.Go(func() {
			if err := pg.Migrate(t.Context(), url, set); err != nil {
				t.Error(err)
			}
		})
	}
	others.Wait()
	if took := time.Since(began); took > time.Minute {
		t.Errorf("after %s", took)
	}
}

// TestATransactionOutlivesNoHolder whose network was cut, and its locks neither.
func TestATransactionOutlivesNoHolder(t *testing.T) {
	t.Parallel()
	const lock = "SELECT pg_advisory_xact_lock(7)"
	url := pgtest.NewEmpty(t)
	way := pgtest.NewWay(t, url, "")
	holder, err := open(t, settings(way.URL)).Begin(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = holder.Rollback(t.Context()) }) // waits for no answer: the context has ended
	if _, err := holder.Exec(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	way.Cut()
	began := time.Now()
	within, cancel := context.WithTimeout(t.Context(), waittest.Timeout)
	defer cancel()
	if _, err := replicaPool(t, url).Exec(within, lock); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("after %s", took)
	}
}
