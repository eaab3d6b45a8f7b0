package erasure_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/erasure"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
)

var errKilled = errors.New("killed")

// kratos is killed with the process before and after it has deleted an identity.
type kratos struct{ asked, deleted int }

func (k *kratos) DeleteIdentity(context.Context, uuid.UUID) error {
	k.asked++
	if k.asked > 1 {
		k.deleted++
	}
	if k.asked < 3 {
		return errKilled
	}
	return nil
}

// TestAnErasureGoesOnAfterAKillBetweenAnyTwoSteps, and says everything once.
func TestAnErasureGoesOnAfterAKillBetweenAnyTwoSteps(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "identity_erasure", store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	rt := service.NewRuntime("identity", "test", obs.NewLogger(io.Discard, "identity", slog.LevelInfo))
	emails, err := mail.NewQueue(pool, mail.Config{SMTPAddr: "127.0.0.1:1", TLS: mail.TLSNone, Timeout: time.Second, From: "Fledge <hello@fledge.test>", ReplyTo: "hello@fledge.test"}, email.BuiltIn("https://fledge.example"), rt)
	if err != nil {
		t.Fatal(err)
	}
	st := store.New(pool, account.Admins{}, 10*time.Second).WithEmails(emails, "https://fledge.example")
	ann, now := uuid.New(), time.Now()
	if _, err := st.RecordSignIn(t.Context(), account.SignIn{UserID: ann, Email: "ann@example.com", Provider: "google", ConfirmedAt: now, At: now}, now); err != nil {
		t.Fatal(err)
	}
	if err := st.AdmitFactorCode(t.Context(), ann, account.NewFactorCode("123456", now)); err != nil {
		t.Fatal(err)
	}
	if _, err := st.DeleteByStaff(audittest.As(t.Context()), ann, "because", now, now); err != nil {
		t.Fatal(err)
	}
	k := &kratos{}
	// goesOn is what happens until a run succeeds, each in a new process.
	goesOn := func(steps ...string) {
		t.Helper()
		erasuretest.Kill(t, pool, "erasures", steps...)
		for run := 0; ; run++ {
			e, err := erasure.New(st, k, clock.System(), rt.Log, prometheus.NewRegistry())
			if err != nil {
				t.Fatal(err)
			}
			if err = e.Step(t.Context()); err == nil {
				break
			}
			if run == 20 {
				t.Fatal(err)
			}
		}
		erasuretest.Killed(t, pool, steps...)
	}
	count := func(query string) (n int) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}

	goesOn("erasures", "outbox", "mail.river_job")
	if n := count("SELECT count(*) FROM outbox WHERE type = 'fledge.identity.v1.user.deleted'"); n != 1 {
		t.Errorf("the services are told %d times", n)
	}
	if n := count("SELECT count(*) FROM mail.river_job WHERE args->>'key' LIKE 'account-deleted/%'"); n != 1 {
		t.Errorf("the owner is told %d times", n)
	}

	for _, name := range erasure.Services() {
		answer := func() error {
			return pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
				return st.AddErasureAnswer(t.Context(), tx, ann, erasure.Answer{Service: name, At: now})
			})
		}
		if name == "support" {
			erasuretest.Kill(t, pool, "erasures", "erasures")
			if err := answer(); err == nil {
				t.Error("the answer survives the kill")
			}
			erasuretest.Killed(t, pool, "erasures")
		}
		for range 2 { // it may come again
			if err := answer(); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The relay publishes, and the emails are delivered.
	if _, err := pool.Exec(t.Context(), "UPDATE outbox SET stream_seq = seq, published_at = now(); UPDATE mail.river_job SET state = 'completed', finalized_at = now()"); err != nil {
		t.Fatal(err)
	}

	goesOn("audit_log", "mail.river_job", "outbox", "users", "user_roles", "second_factor_codes", "erasures")
	if k.deleted == 0 {
		t.Error("Kratos was not asked")
	}
	if n := count("SELECT count(*) FROM erasures WHERE finished_at IS NOT NULL"); n != 1 {
		t.Errorf("%d erasures are done", n)
	}
	// The relay removes what was erased.
	if _, err := pool.Exec(t.Context(), "DELETE FROM outbox WHERE erased"); err != nil {
		t.Fatal(err)
	}
	if found := erasuretest.Search(t, pool, "ann@example.com"); len(found) != 0 {
		t.Errorf("the address is in %q", found)
	}
}
