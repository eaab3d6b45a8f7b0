package pg_test

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

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
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
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
			proxied, cut := cuttable(t, url)
			take(t, replicaPool(t, proxied))
			return cut
		},
		"its process is stopped": func(t *testing.T, url string) func() {
			holder := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLockHolder$")
			holder.Env = append(os.Environ(), holderURL+"="+url)
			output, err := holder.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := holder.Start(); err != nil {
				t.Fatal(err)
			}
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
				if err != nil {
					t.Fatal(err)
				}
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

func take(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	held, err := pg.TryLock(t.Context(), pool, lockName)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	t.Cleanup(func() { _ = held.Close(context.Background()) })
}

// cuttable is a way to the database that can be cut: nothing passes any more, and nobody is
// told.
func cuttable(t *testing.T, url string) (proxied string, cut func()) {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	var broken atomic.Bool
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", net.JoinHostPort(cfg.ConnConfig.Host, strconv.Itoa(int(cfg.ConnConfig.Port))))
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = client.Close(); _ = server.Close() })
			for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
				go func() {
					buffer := make([]byte, 4096)
					for {
						n, err := way[0].Read(buffer)
						if err != nil || broken.Load() {
							return
						}
						if _, err := way[1].Write(buffer[:n]); err != nil {
							return
						}
					}
				}()
			}
		}
	}()
	return strings.Replace(url, net.JoinHostPort(cfg.ConnConfig.Host, strconv.Itoa(int(cfg.ConnConfig.Port))), listener.Addr().String(), 1), func() { broken.Store(true) }
}
