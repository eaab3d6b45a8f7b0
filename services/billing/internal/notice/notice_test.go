package notice_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/email"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/notice"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pgtest"
)

var epoch = time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)

// directory is an identity service, and outbox a queue of emails.
type (
	directory map[uuid.UUID]string
	outbox    []mail.Email
)

func (d directory) Addresses(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) {
	return d, nil
}

func (o *outbox) Enqueue(_ context.Context, _ pgx.Tx, e mail.Email) error {
	*o = append(*o, e)
	return nil
}

type fixture struct {
	*notice.Service
	t      *testing.T
	pool   *pgxpool.Pool
	ledger *ledger.Ledger
	clock  *clock.Fake
	people directory
	sent   outbox
}

func newFixture(t *testing.T, cfg notice.Config) *fixture {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing_notice", store.Migrate))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	f := &fixture{t: t, pool: pool, clock: clock.NewFake(epoch), people: directory{}}
	log := slog.New(slog.DiscardHandler)
	if f.ledger, err = ledger.New(pool, f.clock, ledger.Config{Deadline: 30 * time.Second}, prometheus.NewRegistry(), log); err != nil {
		t.Fatal(err)
	}
	plans := plan.NewCatalog(pool, plan.Config{}, 30*time.Second)
	if f.Service, err = notice.New(pool, f.people, &f.sent, plans, f.ledger, f.clock, "https://fledge.example", cfg, prometheus.NewRegistry()); err != nil {
		t.Fatal(err)
	}
	return f
}

// person is an account with an address.
func (f *fixture) person(name string) uuid.UUID {
	id := uuid.New()
	f.people[id] = name + "@example.com"
	return id
}

func (f *fixture) grant(user uuid.UUID, fact string, amount int64, lasts time.Duration) {
	f.t.Helper()
	err := pgx.BeginFunc(f.t.Context(), f.pool, func(tx pgx.Tx) error {
		_, err := f.ledger.Grant(f.t.Context(), tx, ledger.Grant{
			UserID: user, Fact: fact + "/" + user.String(), Description: "Pro plan", Amount: amount, PeriodStart: f.clock.Now(), PeriodEnd: f.clock.Now().Add(lasts),
		})
		return err
	})
	errtest.None(f.t, err)
}

func (f *fixture) spend(user uuid.UUID, key string, amount int64) {
	f.t.Helper()
	if _, err := f.ledger.Consume(f.t.Context(), ledger.Spend{UserID: user, Key: key, Amount: amount, Description: "Screen"}); err != nil {
		f.t.Fatal(err)
	}
}

// tells runs the task a while later, twice, and expects these subjects.
func (f *fixture) tells(when string, want ...string) {
	f.t.Helper()
	f.sent = nil
	for range 2 {
		f.clock.Advance(time.Minute)
		errtest.None(f.t, f.Run(f.t.Context()))
	}
	templates, err := email.BuiltIn("https://fledge.example").Templates("")
	errtest.None(f.t, err)
	var got []string
	for _, e := range f.sent {
		m, err := templates.Compose(e)
		errtest.None(f.t, err)
		name, _, _ := strings.Cut(m.To, "@")
		got = append(got, name+": "+m.Subject)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		f.t.Errorf("%s: %q, want %q", when, got, want)
	}
}

const month = 30 * 24 * time.Hour

func TestLowCreditsAreToldOnceUntilCreditsAreAdded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{On: true, LowAt: []int32{20, 0}, Every: time.Minute})
	ann, joe := f.person("ann"), f.person("joe")
	f.grant(ann, "base", 5000, month)
	f.grant(joe, "base", 5000, month)
	f.tells("at first")
	f.spend(ann, "a", 3999)
	f.tells("with 10.01 left")
	f.spend(ann, "b", 1)
	f.tells("with a fifth left", "ann: You have 10.00 credits left")
	f.spend(ann, "c", 100)
	f.tells("with less left")
	f.spend(joe, "a", 5000)
	f.tells("when both thresholds are passed at once", "joe: Your credits are used up")
	f.spend(ann, "d", 900)
	f.tells("at the end", "ann: Your credits are used up")
	f.grant(ann, "again", 1000, month)
	f.spend(ann, "e", 100)
	f.tells("after more were added", "ann: You have 9.00 credits left")
}

func TestCreditsThatEndSoonAreTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{On: true, EndingIn: 72 * time.Hour, Every: time.Minute})
	ann, joe, free := f.person("ann"), f.person("joe"), f.person("free")
	f.tells("at first")
	f.grant(ann, "base", 5000, 10*24*time.Hour)
	f.grant(joe, "base", 150, 10*24*time.Hour)
	f.grant(free, "free", 5000, 10*24*time.Hour)
	f.spend(joe, "a", 60)
	f.clock.Advance(6 * 24 * time.Hour)
	f.tells("four days before")
	f.clock.Advance(24 * time.Hour)
	f.tells("three days before", "ann: Credits of yours end on 10 February 2026")
	f.clock.Advance(24 * time.Hour)
	f.tells("two days before")
	past := notice.Notice{UserID: joe, Key: "ending/2026-01-01", Kind: email.Ending, Says: notice.Says{At: epoch, Left: 100}}
	errtest.None(t, pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error { return f.Note(t.Context(), tx, past) }))
	f.tells("after the end")
	for key, want := range map[string]bool{"/ending/2026-02-10": true, "/ending/2026-01-01": false} {
		user := map[bool]uuid.UUID{true: ann, false: joe}[want]
		if due, err := f.EmailDue(t.Context(), "billing/"+user.String()+key); err != nil || due != want {
			t.Errorf("an email that waits, of %s: due %t, %v", key, due, err)
		}
	}
}

// TestWhatEndsOnOneDayIsToldTogether, although a part of it was given for a shorter time and would be
// told later.
func TestWhatEndsOnOneDayIsToldTogether(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{On: true, EndingIn: 72 * time.Hour, Every: time.Minute})
	const day = 24 * time.Hour
	f.tells("at first")
	f.clock.Advance(day - f.clock.Now().Sub(f.clock.Now().Truncate(day)))
	ann := f.person("ann")
	f.grant(ann, "base", 5000, 10*day+time.Hour)
	f.clock.Advance(7*day - time.Hour)
	f.grant(ann, "staff", 1000, 3*day+12*time.Hour)
	f.grant(ann, "pack", 2000, 365*day)
	f.tells("before the first is due")
	f.clock.Advance(2 * time.Hour)
	f.tells("when the first is due", "ann: Credits of yours end on 11 February 2026")
	if left := f.sent[0].Values["Left"]; left != "60.00" {
		t.Errorf("%s end on that day", left)
	}
	f.clock.Advance(day)
	f.tells("when the second would be due")
}

// TestWhoHasAPackIsToldHowMuchEndsFirst: not all can be spent until that day only.
func TestWhoHasAPackIsToldHowMuchEndsFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{On: true, Every: time.Minute})
	ann, joe := f.person("ann"), f.person("joe")
	for _, user := range []uuid.UUID{ann, joe} {
		f.grant(user, "base", 5000, month)
		f.grant(user, "upgrade", 500, month+time.Minute)
		note := notice.Notice{UserID: user, Key: "ended/sub_1", Kind: email.PlanEnded, Says: notice.Says{Plan: "pro"}}
		errtest.None(t, pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error { return f.Note(t.Context(), tx, note) }))
	}
	f.grant(ann, "pack", 2000, 12*month)
	f.tells("both", "ann: Your Pro plan has ended", "joe: Your Pro plan has ended")
	for _, m := range f.sent {
		if want := map[string]string{"ann@example.com": "55.00", "joe@example.com": ""}[m.To]; m.Values["Part"] != want {
			t.Errorf("%s is told that %q end first, want %q", m.To, m.Values["Part"], want)
		}
	}
}

func TestWhatHappenedInALongPauseIsNotTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{On: true, LowAt: []int32{0}, Every: time.Minute})
	ann, joe := f.person("ann"), f.person("joe")
	f.grant(ann, "base", 5000, month)
	f.grant(joe, "base", 5000, month)
	f.tells("at first")
	f.spend(ann, "a", 5000)
	f.clock.Advance(2 * time.Hour)
	f.tells("after two hours")
	f.spend(joe, "a", 5000)
	f.clock.Advance(50 * time.Minute)
	f.tells("within the hour", "joe: Your credits are used up")
}

func TestWhoMayNotBeWrittenToIsToldNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{On: true, Every: time.Minute})
	ann, gone, erased := f.person("ann"), f.person("gone"), f.person("erased")
	if _, err := f.pool.Exec(t.Context(), `INSERT INTO account_states (user_id, state, since) VALUES ($1, 'erased', now())`, erased); err != nil {
		t.Fatal(err)
	}
	delete(f.people, gone)
	note := func(n notice.Notice) {
		t.Helper()
		errtest.None(t, pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error { return f.Note(t.Context(), tx, n) }))
	}
	for _, user := range []uuid.UUID{ann, gone, erased} {
		for range 2 {
			note(notice.Notice{UserID: user, Key: "ended/sub_1", Kind: email.PlanEnded, Says: notice.Says{Plan: "pro"}})
		}
		note(notice.Notice{UserID: user, Key: "payment/sub_1/1", Kind: email.PaymentFailed, Says: notice.Says{Plan: "pro", Subscription: "sub_none"}})
	}
	var rows int
	if err := f.pool.QueryRow(t.Context(), `SELECT count(*) FROM notices WHERE user_id = $1`, erased).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d notices of an account that was erased, %v", rows, err)
	}
	f.tells("of a plan that ended, and of a payment that is not due any more", "ann: Your Pro plan has ended")
	f.people[gone] = "gone@example.com"
	f.tells("after they may be written to again")
	for id, want := range map[uuid.UUID]bool{ann: true, uuid.New(): false} {
		if due, err := f.EmailDue(t.Context(), "billing/"+id.String()+"/ended/sub_1"); err != nil || due != want {
			t.Errorf("an email that waits is due: %t, %v; want %t", due, err, want)
		}
	}
}

// TestAChangeThatWasTakenBackIsNotTold, though another is set instead.
func TestAChangeThatWasTakenBackIsNotTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{On: true, Every: time.Minute})
	ann, at := f.person("ann"), epoch.Add(month)
	if _, err := f.pool.Exec(t.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, 'cus_1', $2)`, ann, epoch); err != nil {
		t.Fatal(err)
	}
	if _, err := f.pool.Exec(t.Context(), `INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, next_plan_id, next_at, created_at, updated_at)
		VALUES ('sub_1', $1, 'active', 'active', 'business', 'price_business', $2, $3, 'pro', $3, $2, $2)`, ann, epoch, at); err != nil {
		t.Fatal(err)
	}
	for key, says := range map[string]notice.Says{
		"changing/1": {Plan: "pro", At: at}, "changing/2": {Plan: "enterprise", At: at}, "changing/3": {Plan: "pro", At: at.Add(month)}, "changing/4": {Plan: "pro", At: at, Interval: "year"},
	} {
		says.Subscription, says.Was = "sub_1", "business"
		err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error {
			return f.Note(t.Context(), tx, notice.Notice{UserID: ann, Key: key, Kind: email.PlanChanging, Says: says})
		})
		errtest.None(t, err)
	}
	f.tells("of four changes", "ann: Your plan changes to Pro on 2 March 2026")
}

// TestNoticesThatCannotBeToldHoldUpNoOthers, however many they are.
func TestNoticesThatCannotBeToldHoldUpNoOthers(t *testing.T) {
	f := newFixture(t, notice.Config{On: true})
	if _, err := f.pool.Exec(t.Context(), `INSERT INTO notices (user_id, key, kind, says, noted_at)
		SELECT gen_random_uuid(), n::text, 'plan_ended', '{"at": "never"}', $1 FROM generate_series(1, 210) AS n`, epoch); err != nil {
		t.Fatal(err)
	}
	err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error {
		return f.Note(t.Context(), tx, notice.Notice{UserID: f.person("ada"), Key: "x", Kind: email.PlanEnded})
	})
	errtest.None(t, err)
	if err := f.Run(t.Context()); err == nil || len(f.sent) != 1 {
		t.Errorf("%d are told, %v", len(f.sent), err)
	}
}

func TestNothingIsNotedWhereNoEmailsAreSent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{Every: time.Minute})
	err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error {
		return f.Note(t.Context(), tx, notice.Notice{UserID: uuid.New(), Key: "ended/sub_1", Kind: email.PlanEnded})
	})
	var rows int
	if scanned := f.pool.QueryRow(t.Context(), `SELECT count(*) FROM notices`).Scan(&rows); err != nil || scanned != nil || rows != 0 || len(f.Tasks()) != 0 {
		t.Errorf("%d notices, %d tasks; %v, %v", rows, len(f.Tasks()), err, scanned)
	}
}

// TestCreditsThatAreGivenForAShortTimeAreToldAtHalf: at once would be too early, and later too late.
func TestCreditsThatAreGivenForAShortTimeAreToldAtHalf(t *testing.T) {
	t.Parallel()
	f := newFixture(t, notice.Config{On: true, EndingIn: 72 * time.Hour, Every: time.Minute})
	f.tells("at first")
	f.grant(f.person("ann"), "short", 5000, 2*time.Hour)
	f.tells("when they are given")
	f.clock.Advance(55 * time.Minute)
	f.tells("before half of their time")
	f.clock.Advance(3 * time.Minute)
	f.tells("at half of their time", "ann: Credits of yours end on 31 January 2026")
}
