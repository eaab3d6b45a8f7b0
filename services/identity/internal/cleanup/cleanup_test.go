package cleanup_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/cleanup"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

const day = 24 * time.Hour

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type rig struct {
	*cleanup.Cleaner
	t       *testing.T
	pool    *pgxpool.Pool
	clock   *clock.Fake
	metrics *prometheus.Registry
	user    uuid.UUID
}

func newRig(t *testing.T) *rig {
	t.Helper()
	pool := pgtest.Pool(t, "identity", store.Migrate)
	r := &rig{t: t, pool: pool, clock: clock.NewFake(now), metrics: prometheus.NewRegistry(), user: uuid.New()}
	st := store.New(pool, account.NewAdmins(nil), 5*time.Second)
	var err error
	r.Cleaner, err = cleanup.New(pool, 365*day, r.clock, r.metrics)
	errtest.None(t, err)
	_, err = st.RecordSignIn(t.Context(), account.SignIn{UserID: r.user, Email: "ann@example.com", Provider: "google", ConfirmedAt: now, At: now}, now)
	errtest.None(t, err)
	return r
}

// family adds one that expires, and perhaps was revoked, relative to now.
func (r *rig) family(name string, expires time.Duration, revoked ...time.Duration) (id uuid.UUID) {
	r.t.Helper()
	id = uuid.New()
	pgtest.Exec(r.t, r.pool, `INSERT INTO session_families (id, user_id, kratos_session_id, generation, leaf_hash, rotated_at, created_at, last_active_at, expires_at, device_name, user_agent, ip_address)
		VALUES ($1, $2, $1, 0, sha256(''), $3, $3, $3, $4, $5, '', '')`, id, r.user, now.Add(-100*day), now.Add(expires), name)
	for _, at := range revoked {
		pgtest.Exec(r.t, r.pool, `UPDATE session_families SET revoked_at = $2, revoked_because = 'signed_out' WHERE id = $1`, id, now.Add(at))
	}
	return id
}

func (r *rig) code(family uuid.UUID, name string, minted time.Duration) {
	r.t.Helper()
	pgtest.Exec(r.t, r.pool, `INSERT INTO hand_off_codes (hash, family_id, callback, challenge, created_at, expires_at)
		VALUES (sha256($1::text::bytea), $2, $1, sha256(''), $3, $3)`, name, family, now.Add(minted))
}

// erasure adds one that is under way, or ended relative to now.
func (r *rig) erasure(name string, ended ...time.Duration) {
	r.t.Helper()
	var at *time.Time
	for _, d := range ended {
		moment := now.Add(d)
		at = &moment
	}
	pgtest.Exec(r.t, r.pool, `WITH e AS (INSERT INTO erasures (user_id, emails, address_hashes, began_at, finished_at) VALUES (gen_random_uuid(), '{}', '{}', $2, $3) RETURNING user_id)
		INSERT INTO erasure_answers (user_id, service, answered_at) SELECT user_id, $1, $2 FROM e`, name, now.Add(-100*day), at)
}

func (r *rig) entry(label string, at time.Duration) {
	r.t.Helper()
	pgtest.Exec(r.t, r.pool, `INSERT INTO audit_log (id, at, service, actor_id, actor_email, action, subject, subject_label, client_ip, user_agent, request_id)
		VALUES (gen_random_uuid(), $2, 'waitlist', gen_random_uuid(), '', 'waitlist.approved', '', $1, '', '', '')`, label, now.Add(at))
}

func (r *rig) left() (names []string) {
	r.t.Helper()
	err := r.pool.QueryRow(r.t.Context(), `SELECT array_agg(name ORDER BY name) FROM
		(SELECT device_name AS name FROM session_families UNION ALL SELECT callback FROM hand_off_codes UNION ALL SELECT 'a typed code' FROM second_factor_codes UNION ALL SELECT service FROM erasure_answers UNION ALL SELECT subject_label FROM audit_log) AS rows`).Scan(&names)
	errtest.None(r.t, err)
	return names
}

func TestOnlyWhatIsOldGoes(t *testing.T) {
	r := newRig(t)
	living := r.family("living", day)
	r.family("expired lately", -29*day)
	r.family("expired long ago", -31*day)
	r.family("revoked lately", 2*day, -29*day)
	r.family("revoked long ago", -2*day, -31*day)
	r.family("expired long ago, revoked since", -31*day, -29*day)
	r.code(living, "a code of yesterday", -25*time.Hour)
	r.code(living, "a code of today", -23*time.Hour)
	pgtest.Exec(r.t, r.pool, `INSERT INTO second_factor_codes (user_id, hash, typed_at) VALUES ($1, sha256('1'), $2), ($1, sha256('2'), $3)`, r.user, now.Add(-16*time.Minute), now.Add(-14*time.Minute))
	r.erasure("erased long ago", -31*day)
	r.erasure("erased lately", -29*day)
	r.erasure("under way")
	r.entry("decided more than a year ago", -366*day)
	r.entry("decided less than a year ago", -364*day)
	for range 2 {
		errtest.None(t, r.Clean(t.Context()))
		if got, want := r.left(), []string{"a code of today", "a typed code", "decided less than a year ago", "erased lately", "expired lately", "living", "revoked lately", "under way"}; !slices.Equal(got, want) {
			t.Fatalf("left: %q, want %q", got, want)
		}
	}
	r.clock.Advance(2 * day)
	errtest.None(t, r.Clean(t.Context()))
	if got := r.left(); !slices.Equal(got, []string{"living", "under way"}) {
		t.Errorf("left two days later: %q", got)
	}
	if n, err := testutil.GatherAndCount(r.metrics, "identity_cleanup_rows_total"); err != nil || n != 5 {
		t.Errorf("%d tables counted, %v", n, err)
	}
}

func TestMoreThanOneTransactionIsCleaned(t *testing.T) {
	r := newRig(t)
	living := r.family("living", day)
	pgtest.Exec(r.t, r.pool, `INSERT INTO hand_off_codes (hash, family_id, callback, challenge, created_at, expires_at)
		SELECT sha256(i::text::bytea), $1, 'x', sha256(''), $2, $2 FROM generate_series(1, 1234) AS i`, living, now.Add(-2*day))
	errtest.None(t, r.Clean(t.Context()))
	if got := r.left(); !slices.Equal(got, []string{"living"}) {
		t.Errorf("%d rows left", len(got))
	}
}

// TestATableThatIsNotCleanedKeepsNoOther.
func TestATableThatIsNotCleanedKeepsNoOther(t *testing.T) {
	r := newRig(t)
	r.family("old", -31*day)
	pgtest.Exec(r.t, r.pool, "ALTER TABLE hand_off_codes RENAME TO away")
	if err := r.Clean(t.Context()); err == nil {
		t.Error("no error without the table of the first kind")
	}
	pgtest.Exec(r.t, r.pool, "ALTER TABLE away RENAME TO hand_off_codes")
	if got := r.left(); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

// TestTheTaskCleansAtOnceAndInOneReplicaAtATime.
func TestTheTaskCleansAtOnceAndInOneReplicaAtATime(t *testing.T) {
	r := newRig(t)
	r.family("old", -31*day)
	background, err := periodic.New(r.pool, service.NewRuntime("identity", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	task := r.Task()
	if !task.Exclusive {
		t.Error("every replica cleans")
	}
	stop, err := background.Unit(task).Start(t.Context())
	errtest.None(t, err)
	waittest.Eventually(t, "the old family goes", func() bool { return len(r.left()) == 0 })
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
	r.pool.Close()
	if err := r.Clean(t.Context()); err == nil {
		t.Error("no error without a database")
	}
}
