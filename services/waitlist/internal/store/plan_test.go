package store_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// statements remembers what is sent.
type statements struct {
	mu   sync.Mutex
	sent []sentStatement
}

type sentStatement struct {
	sql  string
	args []any
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, sentStatement{data.SQL, data.Args})
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

var comment = regexp.MustCompile(`(?m)^--.*$`)

// TestPagesReadNoWholeTable looks at the plans of the very statements that pages
// and figures of 100,000 entries take.
func TestPagesReadNoWholeTable(t *testing.T) {
	t.Parallel()
	f := newCrowd(t)
	var seen statements
	cfg := f.pool.Config()
	cfg.ConnConfig.Tracer = &seen
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	traced := store.New(pool, clock.System(), patient)
	middle := &store.Cursor{CreatedAt: time.Now().Add(-30 * 24 * time.Hour)}
	for name, read := range map[string]func() error{
		"all": func() error { _, err := traced.List(t.Context(), store.Filter{}, middle, store.MaxPage); return err },
		"rejected": func() error {
			_, err := traced.List(t.Context(), store.Filter{Status: entry.Rejected}, middle, store.MaxPage)
			return err
		},
		"search": func() error {
			_, err := traced.List(t.Context(), store.Filter{Search: "ada.abc"}, nil, store.MaxPage)
			return err
		},
	} {
		seen.sent = nil
		if err := read(); err != nil {
			t.Fatal(err)
		}
		if len(seen.sent) != 1 {
			t.Fatalf("%s took %d statements", name, len(seen.sent))
		}
		if plan := f.explain(seen.sent[0]); strings.Contains(plan, "Seq Scan") {
			t.Errorf("%s reads the whole table:\n%s", name, plan)
		}
	}
}

// explain is the plan of a statement with the values that it was sent with.
func (f *fixture) explain(s sentStatement) string {
	f.t.Helper()
	rows, err := f.pool.Query(f.t.Context(), "EXPLAIN "+comment.ReplaceAllString(s.sql, ""), s.args...)
	if err != nil {
		f.t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		f.t.Fatal(fmt.Errorf("%s: %w", s.sql, err))
	}
	return strings.Join(lines, "\n")
}
