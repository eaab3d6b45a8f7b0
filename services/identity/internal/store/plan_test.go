package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/errtest"
)

const crowd = 50_000

// newCrowd is a store with 50,000 accounts, of which some moderate and few are
// admins. recorded is called for each statement, when given.
func newCrowd(t testing.TB, recorded func(sql string, args []any)) *fixture {
	t.Helper()
	f := newFixture(t)
	if recorded != nil {
		cfg := f.pool.Config()
		cfg.ConnConfig.Tracer = tracer{recorded}
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		errtest.None(t, err)
		t.Cleanup(pool.Close)
		f.Store = store.New(pool, account.Admins{}, patient)
	}
	f.exec(`INSERT INTO users (id, email, provider, identities, email_confirmed_at, created_at, last_sign_in_at)
		SELECT gen_random_uuid(), 'person' || n || '@' || (ARRAY['example.com', 'mail.test', 'quartz.test'])[1 + n % 3], 'google', '{google}',
		       now(), now() - n * interval '1 minute', now() FROM generate_series(1, $1::int) n`, crowd)
	f.exec(`INSERT INTO user_roles (user_id, role, granted_at) SELECT id, 'user', now() FROM users`)
	f.exec(`INSERT INTO user_roles (user_id, role, granted_at) SELECT id, 'moderator', now() FROM users WHERE email LIKE '%77@%'`)
	f.exec(`INSERT INTO user_roles (user_id, role, granted_at) SELECT id, 'admin', now() FROM users WHERE email LIKE 'person1777_@%' OR email LIKE 'person49999@%'`)
	f.exec(`ANALYZE users, user_roles`)
	return f
}

type tracer struct{ recorded func(sql string, args []any) }

func (tr tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	tr.recorded(data.SQL, data.Args)
	return ctx
}

func (tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// deep is where a page in the middle of the crowd begins.
func deep(f *fixture) *store.Cursor {
	f.t.Helper()
	c := &store.Cursor{ID: uuid.Max}
	err := f.pool.QueryRow(f.t.Context(), `SELECT created_at FROM users ORDER BY created_at DESC OFFSET $1 LIMIT 1`, crowd/2).Scan(&c.CreatedAt)
	errtest.None(f.t, err)
	return c
}

// TestPagesReadNoWholeTable looks at the plans of the very statements that the
// store sends.
func TestPagesReadNoWholeTable(t *testing.T) {
	t.Parallel()
	type statement struct {
		sql  string
		args []any
	}
	var mu sync.Mutex
	var sent []statement
	f := newCrowd(t, func(sql string, args []any) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(sql, "FROM users") || strings.Contains(sql, "JOIN users") {
			sent = append(sent, statement{sql, args})
		}
	})
	middle := deep(f)
	for _, role := range []account.Role{"", account.RoleUser, account.RoleModerator, account.RoleAdmin} {
		for name, after := range map[string]*store.Cursor{"first": nil, "middle": middle} {
			sent = nil
			if _, err := f.Users(t.Context(), store.Filter{Role: role}, after, store.MaxPage); err != nil {
				t.Fatal(err)
			}
			if len(sent) != 1 {
				t.Fatalf("%s page of %q took %d statements", name, role, len(sent))
			}
			for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
				plan := explain(f, mode, sent[0].sql, sent[0].args)
				if strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s page of %q reads a whole table (%s):\n%s", name, role, mode, plan)
				}
			}
		}
	}
}

var comment = regexp.MustCompile(`(?m)^--.*$`)

// explain is the plan of a statement as the server runs it when prepared.
func explain(f *fixture, mode, sql string, args []any) string {
	f.t.Helper()
	var rows []string
	err := pgx.BeginFunc(f.t.Context(), f.pool, func(tx pgx.Tx) error {
		types, values := "", make([]string, len(args))
		for i, a := range args {
			text, err := json.Marshal(a)
			if err != nil {
				return err
			}
			values[i] = "'" + strings.Trim(string(text), `"`) + "'"
		}
		name := pgx.Identifier{"p" + uuid.NewString()}.Sanitize()
		for _, s := range []string{
			"SET LOCAL plan_cache_mode = " + mode,
			fmt.Sprintf("PREPARE %s%s AS %s", name, types, comment.ReplaceAllString(sql, "")),
		} {
			if _, err := tx.Exec(f.t.Context(), s); err != nil {
				return err
			}
		}
		found, err := tx.Query(f.t.Context(), fmt.Sprintf("EXPLAIN EXECUTE %s(%s)", name, strings.Join(values, ",")), pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			return err
		}
		rows, err = pgx.CollectRows(found, pgx.RowTo[string])
		return err
	})
	errtest.None(f.t, err)
	return strings.Join(rows, "\n")
}
