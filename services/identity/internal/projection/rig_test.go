package projection_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/projection"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

const patient = 30 * time.Second

var (
	epoch  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	config = projection.Config{Interval: 10 * time.Millisecond, FullInterval: 10 * time.Millisecond}
)

// rig is a reconciler between a database and a stand-in for Kratos.
type rig struct {
	*projection.Reconciler
	t       *testing.T
	kratos  *standIn
	store   *store.Store
	pool    *pgxpool.Pool
	clock   *clock.Fake
	metrics *prometheus.Registry
	log     *bytes.Buffer
}

func newRig(t *testing.T) *rig {
	t.Helper()
	pool := pgtest.Pool(t, "identity", store.Migrate)
	r := &rig{
		t: t, kratos: newStandIn(t), store: store.New(pool, account.NewAdmins([]string{"admin@example.com"}), patient), pool: pool,
		clock: clock.NewFake(epoch), metrics: prometheus.NewRegistry(), log: &bytes.Buffer{},
	}
	r.Reconciler = r.reconciler(r.metrics)
	return r
}

// reconciler is one more replica.
func (r *rig) reconciler(reg *prometheus.Registry) *projection.Reconciler {
	r.t.Helper()
	client, err := kratos.New(kratos.Config{PublicURL: r.kratos.url, AdminURL: r.kratos.url, Timeout: patient}, prometheus.NewRegistry())
	errtest.None(r.t, err)
	r.t.Cleanup(client.Close)
	k, err := projection.New(r.store, client, config, r.clock, slog.New(slog.NewTextHandler(r.log, nil)), reg)
	errtest.None(r.t, err)
	return k
}

// fresh is a replica whose breaker has seen nothing yet.
func (r *rig) fresh() *projection.Reconciler { return r.reconciler(prometheus.NewRegistry()) }

// identity makes somebody known to Kratos alone.
func (r *rig) identity(email string) *identity {
	i := &identity{id: uuid.New(), state: "active", email: email, verified: true, providers: []string{"google"}, created: r.clock.Now().Add(-time.Hour)}
	r.kratos.change(func() { r.kratos.identities[i.id] = i })
	return i
}

// person is somebody whom both sides know.
func (r *rig) person(email string) *identity {
	r.t.Helper()
	i := r.identity(email)
	_, err := r.store.RecordSignIn(r.t.Context(), account.SignIn{
		UserID: i.id, Email: email, Provider: "google", ConfirmedAt: i.created, CreatedAt: i.created, At: i.created,
	}, i.created)
	errtest.None(r.t, err)
	return i
}

// session starts one in Kratos.
func (r *rig) session(i *identity, provider string, at time.Time) *kratosSession {
	s := &kratosSession{id: uuid.New(), identity: i.id, active: true, provider: provider, at: at}
	r.kratos.change(func() { r.kratos.sessions[s.id] = s })
	return s
}

// browser signs somebody in with a browser, mac with a Mac.
func (r *rig) browser(i *identity) *kratosSession {
	r.t.Helper()
	s := r.session(i, "google", i.created)
	r.family(i, s.id)
	return s
}

func (r *rig) mac(i *identity) {
	r.t.Helper()
	r.family(i, nil)
}

func (r *rig) family(i *identity, kratosSession any) {
	r.t.Helper()
	pgtest.Exec(r.t, r.pool, `INSERT INTO session_families (id, user_id, kratos_session_id, generation, leaf_hash, rotated_at, created_at, last_active_at, expires_at, device_name, user_agent, ip_address)
		VALUES (gen_random_uuid(), $1, $2, 0, sha256(''), $3, $3, $3, $4, '', '', '')`, i.id, kratosSession, r.clock.Now().Add(-time.Minute), r.clock.Now().Add(30*24*time.Hour))
}

// text is the one column of one row.
func (r *rig) text(sql string, args ...any) string {
	r.t.Helper()
	return pgtest.One[string](r.t, r.pool, "SELECT ("+sql+")::text", args...)
}

// standing tells "active", or why not; and each family's end after a colon.
func (r *rig) standing(i *identity) string {
	r.t.Helper()
	return r.text(`SELECT coalesce(disabled_because, 'active') || ':' || coalesce((
		SELECT string_agg(coalesce(revoked_because, 'alive'), ',' ORDER BY revoked_because) FROM session_families WHERE user_id = u.id), '')
		FROM users u WHERE id = $1 AND (disabled_at IS NULL) = (disabled_because IS NULL)`, i.id)
}

func (r *rig) incremental() {
	r.t.Helper()
	r.clock.Advance(20 * time.Second)
	errtest.None(r.t, r.Incremental(r.t.Context()))
}

func (r *rig) full() {
	r.t.Helper()
	r.clock.Advance(time.Hour)
	errtest.None(r.t, r.Full(r.t.Context(), time.Time{}))
}

// metric is the value of a counter or gauge with the label value.
func (r *rig) metric(name, label string) float64 {
	r.t.Helper()
	families, err := r.metrics.Gather()
	errtest.None(r.t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return 0
}

// people are some whom both sides know, each with a Mac.
func (r *rig) people(n int) []*identity {
	var all []*identity
	for i := range n {
		p := r.person(fmt.Sprintf("person%d@example.com", i))
		r.mac(p)
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *identity) int { return bytes.Compare(a.id[:], b.id[:]) })
	return all
}
