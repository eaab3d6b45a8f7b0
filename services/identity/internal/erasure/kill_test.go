package erasure_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/erasure"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
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

// apple is killed with the process before and after it has revoked a token.
type apple struct{ asked, revoked int }

func (a *apple) Revoke(context.Context, uuid.UUID, bool) (bool, error) {
	a.asked++
	if a.asked > 1 {
		a.revoked++
	}
	if a.asked < 3 {
		return false, errKilled
	}
	return true, nil
}

// TestAnErasureGoesOnAfterAKillBetweenAnyTwoSteps, and says everything once.
func TestAnErasureGoesOnAfterAKillBetweenAnyTwoSteps(t *testing.T) {
	pool := pgtest.Pool(t, "identity_erasure", store.Migrate)
	rt := service.NewRuntime("identity", "test", obs.NewLogger(io.Discard, "identity", slog.LevelInfo))
	emails, err := mail.NewQueue(pool, mail.Config{SMTPAddr: "127.0.0.1:1", TLS: mail.TLSNone, Timeout: time.Second, From: "Fledge <hello@fledge.test>", ReplyTo: "hello@fledge.test"}, email.BuiltIn("https://fledge.example"), rt)
	errtest.None(t, err)
	st := store.New(pool, account.Admins{}, 10*time.Second).WithEmails(emails, "https://fledge.example")
	ann, now := uuid.New(), time.Now()
	if _, err := st.RecordSignIn(t.Context(), account.SignIn{UserID: ann, Email: "ann@example.com", Provider: "google", ConfirmedAt: now, At: now}, now); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, st.AdmitFactorCode(t.Context(), ann, account.NewFactorCode("123456", now)))
	if _, err := st.DeleteByStaff(audittest.As(t.Context()), ann, "because", now, now); err != nil {
		t.Fatal(err)
	}
	k, a := &kratos{}, &apple{}
	count := func(query string) (n int) {
		t.Helper()
		errtest.None(t, pool.QueryRow(t.Context(), query).Scan(&n))
		return n
	}
	// goesOn is what happens until a run succeeds and the query counts one, each in a new process.
	goesOn := func(query string, steps ...string) {
		t.Helper()
		erasuretest.Kill(t, pool, "erasures", steps...)
		for run := 0; ; run++ {
			e, err := erasure.New(st, k, a, clock.System(), rt.Log, prometheus.NewRegistry())
			errtest.None(t, err)
			if err = e.Step(t.Context()); err == nil && count(query) == 1 {
				break
			}
			if run == 20 {
				t.Fatal(err)
			}
		}
		erasuretest.Killed(t, pool, steps...)
	}

	goesOn("SELECT count(*) FROM erasures", "erasures", "outbox", "mail.river_job")
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
			errtest.None(t, answer())
		}
	}
	// The relay publishes, and the emails are delivered.
	if _, err := pool.Exec(t.Context(), "UPDATE outbox SET stream_seq = seq, published_at = now(); UPDATE mail.river_job SET state = 'completed', finalized_at = now()"); err != nil {
		t.Fatal(err)
	}

	goesOn("SELECT count(*) FROM erasures WHERE finished_at IS NOT NULL", "audit_log", "mail.river_job", "users", "user_roles", "second_factor_codes", "erasures")
	if k.deleted == 0 || a.revoked == 0 {
		t.Error("Kratos or Apple was not asked")
	}
	// The relay removes what was erased.
	if _, err := pool.Exec(t.Context(), "DELETE FROM outbox WHERE erased"); err != nil {
		t.Fatal(err)
	}
	if found := erasuretest.Search(t, pool, "ann@example.com"); len(found) != 0 {
		t.Errorf("the address is in %q", found)
	}
}

// list is a store with one erasure that all services have answered.
type list struct {
	erasure.Store
	answered erasure.Answered
	finished int
}

func (l *list) EraseGone(context.Context, time.Time, time.Time) error { return nil }

func (l *list) AccountsToErase(context.Context, time.Time, int, int) ([]uuid.UUID, error) {
	return nil, nil
}

func (l *list) AnsweredErasures(context.Context, []string, uuid.UUID, int) ([]erasure.Answered, error) {
	return []erasure.Answered{l.answered}, nil
}

func (l *list) FinishErasure(context.Context, uuid.UUID, time.Time) (bool, error) {
	l.finished++
	return true, nil
}

func (l *list) OpenErasureAges(context.Context, []string) (time.Duration, time.Duration, error) {
	return 0, 0, nil
}

// due is a store with accounts to erase, the first of which cannot be begun with, and that cannot tell who is gone.
type due struct {
	list
	bad   []uuid.UUID
	ids   []uuid.UUID
	begun []uuid.UUID
}

func (d *due) EraseGone(context.Context, time.Time, time.Time) error { return errKilled }

func (d *due) AccountsToErase(_ context.Context, _ time.Time, skip, limit int) ([]uuid.UUID, error) {
	left := slices.DeleteFunc(slices.Clone(d.ids), func(id uuid.UUID) bool { return slices.Contains(d.begun, id) })
	left = left[min(len(left), skip):]
	return left[:min(len(left), limit)], nil
}

func (d *due) BeginErasure(_ context.Context, id uuid.UUID, _ time.Time) error {
	if slices.Contains(d.bad, id) {
		return errKilled
	}
	d.begun = append(d.begun, id)
	return nil
}

// TestAnErasureThatCannotBeginHoldsNoOthersUp, however many they are.
func TestAnErasureThatCannotBeginHoldsNoOthersUp(t *testing.T) {
	now := clock.NewFake(time.Now())
	d := &due{list: list{answered: erasure.Answered{User: uuid.New(), At: now.Now()}}}
	for range 110 {
		d.bad = append(d.bad, uuid.New())
	}
	d.ids = slices.Clone(d.bad)
	for range 150 {
		d.ids = append(d.ids, uuid.New())
	}
	e, err := erasure.New(d, &kratos{asked: 2}, &apple{asked: 2}, now, obs.NewLogger(io.Discard, "identity", slog.LevelInfo), prometheus.NewRegistry())
	errtest.None(t, err)
	if err := e.Step(t.Context()); !errors.Is(err, errKilled) {
		t.Errorf("the task does not say so: %v", err)
	}
	if len(d.begun) != 150 || d.finished == 0 {
		t.Errorf("%d have begun, %d are done", len(d.begun), d.finished)
	}
}

// away is an Apple that never answers, or a Kratos that does not say what to ask it.
type away struct {
	kratos error
	lasts  int
}

func (a *away) Revoke(_ context.Context, _ uuid.UUID, last bool) (bool, error) {
	if last {
		a.lasts++
	}
	return false, a.kratos
}

// TestAnErasureWaitsADayForApple, with the identity and the account as they were, and then goes on.
// It is counted once, however often Kratos fails to delete the identity.
func TestAnErasureWaitsADayForApple(t *testing.T) {
	answered := time.Now()
	now, k, l := clock.NewFake(answered), &kratos{}, &list{answered: erasure.Answered{User: uuid.New(), At: answered}}
	metrics, apple := prometheus.NewRegistry(), &away{}
	e, err := erasure.New(l, k, apple, now, obs.NewLogger(io.Discard, "identity", slog.LevelInfo), metrics)
	errtest.None(t, err)
	for _, after := range []time.Duration{0, 24*time.Hour - time.Second, 24 * time.Hour} {
		goesOn := after == 24*time.Hour
		now.Advance(answered.Add(after).Sub(now.Now()))
		if goesOn {
			if err := e.Step(t.Context()); !errors.Is(err, errKilled) || l.finished > 0 {
				t.Errorf("Kratos fails: %v, %d accounts erased", err, l.finished)
			}
			*k = kratos{asked: 2}
		}
		errtest.None(t, e.Step(t.Context()))
		if (k.deleted == 1) != goesOn || (l.finished == 1) != goesOn || (apple.lasts > 0) != goesOn {
			t.Errorf("after %s: %d identities deleted, %d accounts erased", after, k.deleted, l.finished)
		}
	}
	const counted = `
		# HELP identity_accounts_unrevoked_total Accounts that were erased although Apple did not revoke their token within a day.
		# TYPE identity_accounts_unrevoked_total counter
		identity_accounts_unrevoked_total 1
	`
	if err := testutil.GatherAndCompare(metrics, strings.NewReader(counted), "identity_accounts_unrevoked_total"); err != nil {
		t.Error(err)
	}
}

// TestAnErasureFailsWithKratos, however long it takes: nothing is erased, and the task says why.
func TestAnErasureFailsWithKratos(t *testing.T) {
	now, k, l := clock.NewFake(time.Now()), &kratos{asked: 2}, &list{}
	l.answered = erasure.Answered{User: uuid.New(), At: now.Now()}
	e, err := erasure.New(l, k, &away{kratos: errKilled}, now, obs.NewLogger(io.Discard, "identity", slog.LevelInfo), prometheus.NewRegistry())
	errtest.None(t, err)
	for range 2 {
		if err := e.Step(t.Context()); !errors.Is(err, errKilled) || k.deleted+l.finished > 0 {
			t.Errorf("%v, %d identities deleted, %d accounts erased", err, k.deleted, l.finished)
		}
		now.Advance(48 * time.Hour)
	}
}
