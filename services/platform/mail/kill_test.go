package mail_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/smtptest"
)

// Set for the child process that TestMain turns into a worker.
const (
	childDatabase = "FLEDGE_TEST_MAIL_DATABASE"
	childSMTP     = "FLEDGE_TEST_MAIL_SMTP"
)

func TestMain(m *testing.M) {
	if os.Getenv(childDatabase) != "" {
		if err := workUntilKilled(context.Background()); err != nil {
			slog.Error("worker", "error", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func workUntilKilled(ctx context.Context) error {
	pool, err := pgxpool.New(ctx, os.Getenv(childDatabase))
	if err != nil {
		return err
	}
	rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
	q, err := mail.NewQueue(pool, plainConfig(os.Getenv(childSMTP)), place, rt)
	if err != nil {
		return err
	}
	if _, err := q.Unit().Start(ctx); err != nil {
		return err
	}
	select {}
}

// startChild runs a worker in a process of its own and returns how to kill it.
func (r *rig) startChild() (kill func()) {
	r.t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDatabase+"="+r.url, childSMTP+"="+r.smtp.Addr())
	child.Stderr = os.Stderr
	errtest.None(r.t, child.Start())
	kill = sync.OnceFunc(func() {
		if err := child.Process.Kill(); err != nil {
			r.t.Error(err)
		}
		var exit *exec.ExitError
		if err := child.Wait(); err != nil && !errors.As(err, &exit) {
			r.t.Error(err)
		}
	})
	r.t.Cleanup(kill)
	return kill
}

// pass lets the time go by that River waits for: the leader's lease (15 s) and
// the time that a job may be worked on.
func (r *rig) pass() {
	r.t.Helper()
	for _, sql := range []string{
		"DELETE FROM mail.river_leader",
		"UPDATE mail.river_job SET attempted_at = attempted_at - interval '1 hour' WHERE state = 'running'",
	} {
		if _, err := r.pool.Exec(r.t.Context(), sql); err != nil {
			r.t.Fatal(err)
		}
	}
}

func TestEmailOfAKilledWorker(t *testing.T) {
	for name, tc := range map[string]struct {
		// kill is called by the mail server in the middle of a delivery.
		hook   func(s *smtptest.Server, kill func())
		copies int
	}{
		"killed before the server has the email: sent once": {
			hook: func(s *smtptest.Server, kill func()) {
				s.OnRecipient(func(string) error { kill(); return smtptest.Refusal(451, "Too late") })
			},
			copies: 1,
		},
		"killed between the server's 250 and the record: repeated under the same Message-ID": {
			hook: func(s *smtptest.Server, kill func()) {
				s.OnDeliver(func(smtptest.Delivery) error { kill(); return nil })
			},
			copies: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			q, _ := r.queue(plainConfig(r.smtp.Addr()))
			killed := make(chan struct{})
			ready := make(chan func(), 1)
			tc.hook(r.smtp, sync.OnceFunc(func() {
				(<-ready)()
				close(killed)
			}))
			r.enqueue(q, emailTo("approved/1", "ada@example.test"))
			ready <- r.startChild()
			select {
			case <-killed:
			case <-time.After(timeout):
				t.Fatal("the worker never came")
			}
			r.smtp.OnRecipient(nil)
			r.smtp.OnDeliver(nil)
			r.pass()

			r.work(q)
			r.eventuallyJobs("completed", 1)
			sent := r.smtp.Accepted()
			if len(sent) != tc.copies {
				t.Fatalf("%d copies, want %d", len(sent), tc.copies)
			}
			if first, last := sent[0].Header.Get("Message-Id"), sent[len(sent)-1].Header.Get("Message-Id"); first == "" || first != last {
				t.Errorf("message IDs %q and %q", first, last)
			}
		})
	}
}
