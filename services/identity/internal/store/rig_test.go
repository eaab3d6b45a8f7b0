package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

// patient is a deadline that no busy machine reaches.
const patient = 30 * time.Second

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture is a store over a database of its own.
type fixture struct {
	*store.Store
	t    testing.TB
	pool *pgxpool.Pool
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	pool := pgtest.Pool(t, "identity_store", store.Migrate)
	admins := account.NewAdmins([]string{"admin@example.com", "boss@example.com"})
	return &fixture{store.New(pool, admins, patient), t, pool}
}

// person signs somebody in for the first time, some seconds after the epoch.
func (f *fixture) person(email string, second int) account.User {
	f.t.Helper()
	at := epoch.Add(time.Duration(second) * time.Second)
	user, err := f.RecordSignIn(f.t.Context(), account.SignIn{
		UserID: uuid.New(), Email: email, Provider: "google", ConfirmedAt: at, At: at,
	}, at)
	errtest.None(f.t, err)
	return user
}

func (f *fixture) setRoles(id uuid.UUID, roles ...account.Role) account.RoleChange {
	f.t.Helper()
	change, err := f.SetRoles(audittest.As(f.t.Context()), id, roles, nil, "because", epoch)
	errtest.None(f.t, err)
	return change
}

// repair has Kratos list and say the same.
func (f *fixture) repair(now time.Time, known ...account.Known) (added, repaired []uuid.UUID, err error) {
	return f.Repair(f.t.Context(), known, func(_ context.Context, id uuid.UUID) (account.Known, error) {
		return known[slices.IndexFunc(known, func(k account.Known) bool { return k.UserID == id })], nil
	}, now)
}

func (f *fixture) exec(sql string, args ...any) {
	f.t.Helper()
	if _, err := f.pool.Exec(f.t.Context(), sql, args...); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) count(sql string, args ...any) (n int) {
	f.t.Helper()
	errtest.None(f.t, f.pool.QueryRow(f.t.Context(), sql, args...).Scan(&n))
	return n
}
