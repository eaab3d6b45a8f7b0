package pgtest

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
)

// Plans records how PostgreSQL executes the statements of some operations, including those
// inside functions, with its extension auto_explain.
type Plans struct {
	t testing.TB
	// Pool is for the operations. Its statements get plans that hold for any
	// arguments, like those of a service that sends them over and over.
	Pool *pgxpool.Pool
	// Values is for operations whose statements PostgreSQL plans for their values each
	// time, because that is better, such as a search.
	Values *pgxpool.Pool

	mu   sync.Mutex
	told []string
	all  strings.Builder
}

// RecordPlans returns a recorder for the database at url, whose tables have as many
// rows as the plans are to be for.
func RecordPlans(t testing.TB, url string) *Plans {
	t.Helper()
	if err := execute(url, "VACUUM ANALYZE"); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	p := &Plans{t: t}
	p.Pool, p.Values = p.open(url, "force_generic_plan"), p.open(url, "force_custom_plan")
	return p
}

func (p *Plans) open(url, mode string) *pgxpool.Pool {
	p.t.Helper()
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		p.t.Fatalf("pgtest: %v", err)
	}
	cfg.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { p.hear(n.Message) }
	// For connections that are made with the pool's settings and without the pool, too.
	maps.Copy(cfg.ConnConfig.RuntimeParams, map[string]string{
		"session_preload_libraries": "auto_explain", "auto_explain.log_level": "notice", "auto_explain.log_nested_statements": "on",
		"auto_explain.log_min_duration": "0", "plan_cache_mode": mode,
	})
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		p.t.Fatalf("pgtest: %v", err)
	}
	p.t.Cleanup(pool.Close)
	return pool
}

var (
	// A plan's first line and its nodes end like this; what stands between a node's
	// own line and the next is indented, too.
	node   = regexp.MustCompile(`^( *(?:->  )?.*?)  \(cost=[^)]*\)$`)
	detail = regexp.MustCompile(`^ +(?:Index Cond|Conflict Arbiter Indexes): `)
	// used is a way to rows of a table: an index by its name, or all of them.
	used = regexp.MustCompile(`(Seq Scan on \S+|Index (?:Only )?Scan (?:Backward )?using \S+|Bitmap Index Scan on \S+|Conflict Arbiter Indexes: \S+)`)
)

func (p *Plans) hear(message string) {
	_, plan, ok := strings.Cut(message, "plan:\n")
	if !ok {
		return
	}
	var kept []string
	for line := range strings.Lines(plan) {
		line = strings.TrimRight(line, "\n")
		if m := node.FindStringSubmatch(line); m != nil {
			kept = append(kept, m[1])
		} else if len(kept) > 0 && detail.MatchString(line) {
			kept = append(kept, line)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, strings.Join(kept, "\n"))
}

// Of runs an operation and keeps the plans of its statements under the name. One that
// reads a whole table fails the test, unless the table is small by its nature.
func (p *Plans) Of(name string, operation func() error, small ...string) {
	p.t.Helper()
	p.take()
	if err := operation(); err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
	plans := p.take()
	if len(plans) == 0 {
		p.t.Fatalf("%s: PostgreSQL tells no plan", name)
	}
	text := strings.Join(plans, "\n")
	for _, way := range ways(text) {
		if table, whole := strings.CutPrefix(way, "Seq Scan on "); whole && !slices.Contains(small, table) {
			p.t.Errorf("%s reads all of %s:\n%s", name, table, text)
		}
	}
	p.all.WriteString("# " + name + "\n" + text + "\n\n")
}

func (p *Plans) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	told := p.told
	p.told = nil
	slices.Sort(told)
	return slices.Compact(told)
}

// ways lists the indexes that plans use, and the tables that they read whole.
func ways(plans string) []string {
	found := used.FindAllString(plans, -1)
	for i, way := range found {
		if !strings.HasPrefix(way, "Seq Scan") {
			found[i] = way[strings.LastIndexByte(way, ' ')+1:]
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Compare fails the test when operations use other indexes than the plans in the file,
// which UPDATE_PLANS in the environment makes it overwrite instead. How a plan joins
// what it has found may differ.
func (p *Plans) Compare(file string) {
	p.t.Helper()
	if os.Getenv("UPDATE_PLANS") != "" {
		errtest.None(p.t, os.MkdirAll(filepath.Dir(file), 0o755))
		errtest.None(p.t, os.WriteFile(file, []byte(p.all.String()), 0o644))
		return
	}
	content, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatalf("%v (UPDATE_PLANS=1 writes it)", err)
	}
	before, now := sections(string(content)), sections(p.all.String())
	for name, plans := range now {
		if had, have := ways(before[name]), ways(plans); !slices.Equal(had, have) {
			p.t.Errorf("%s uses %q now, %q in %s (if that is meant: UPDATE_PLANS=1):\n%s", name, have, had, file, plans)
		}
		delete(before, name)
	}
	for name := range before {
		p.t.Errorf("%s: nothing is called %q any more", file, name)
	}
}

func sections(text string) map[string]string {
	all := map[string]string{}
	for section := range strings.SplitSeq("\n"+text, "\n# ") {
		if name, plans, ok := strings.Cut(section, "\n"); ok && name != "" {
			all[name] = plans
		}
	}
	return all
}
