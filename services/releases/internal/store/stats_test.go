package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/releases/internal/downloads"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store"
)

var today = noon.Truncate(24 * time.Hour)

func counted(day time.Time, v release.Version, arch release.Arch) downloads.Download {
	return downloads.Download{Day: day, Version: v, Filename: "F-" + string(arch), Arch: arch}
}

func TestTotalsAgreeWithTheCounts(t *testing.T) {
	s, pool := open(t)
	var wg sync.WaitGroup
	for i := range 20 { // many at once, in any order of their rows
		wg.Go(func() {
			for range 5 {
				err := s.AddDownloads(context.Background(), map[downloads.Download]int64{
					counted(today, "1.9.0", release.Arm64):                       1,
					counted(today, "1.10.0", release.Arm64):                      1,
					counted(today, "1.10.0", release.X64):                        2,
					counted(today.AddDate(0, 0, -2), "1.9.0", release.Universal): int64(1 + i%2),
					counted(today, "1.10.0", release.Other):                      7,
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	stats, err := downloads.Read(t.Context(), s, noon, 3)
	errtest.None(t, err)
	want := downloads.Stats{
		Total: 550,
		Days:  []downloads.Day{{Day: today.AddDate(0, 0, -2), Total: 150}, {Day: today.AddDate(0, 0, -1)}, {Day: today, Total: 400}},
		Versions: []downloads.Version{
			{Version: "1.10.0", Total: 300, Arm64: 100, X64: 200}, {Version: "1.9.0", Total: 250, Arm64: 100},
		},
	}
	if fmt.Sprint(stats) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", stats, want)
	}
	apply(t, s, true, made(1, "1.10.0"))
	releases, err := s.Releases(t.Context())
	if r := one(t, releases, err); r.SiteDownloads != 300 {
		t.Errorf("the release shows %d", r.SiteDownloads)
	}
	if one := at(t, s, noon, 1); len(one.Days) != 1 || one.Days[0].Total != 400 || one.Total != 550 {
		t.Errorf("one day: %+v", one)
	}
	if ahead := at(t, s, noon.AddDate(0, 0, -1), 1); ahead.Days[0].Total != 0 {
		t.Errorf("tomorrow's downloads are today's: %+v", ahead)
	}
	var rows int64
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM downloads`).Scan(&rows); err != nil || rows != 5 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func at(t *testing.T, s *store.Store, now time.Time, days int) downloads.Stats {
	t.Helper()
	stats, err := downloads.Read(t.Context(), s, now, days)
	errtest.None(t, err)
	return stats
}

// TestChartsReadTotalsAlone: with 100,000 counts no statistic of the dashboard reads
// more than the totals.
func TestChartsReadTotalsAlone(t *testing.T) {
	s, pool := open(t)
	for _, statement := range []string{
		`INSERT INTO downloads (day, version, filename, arch, count)
		 SELECT DATE '2026-11-20' - d, '1.' || v || '.0', 'F-' || a || '.zip', a, 1
		 FROM generate_series(0, 364) d, generate_series(1, 137) v, unnest(ARRAY['arm64', 'x64']) a`,
		`INSERT INTO download_days SELECT day, sum(count) FROM downloads GROUP BY day`,
		`INSERT INTO download_versions SELECT version, arch, sum(count) FROM downloads GROUP BY version, arch`,
		`ANALYZE`,
	} {
		if _, err := pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	stats := at(t, s, noon, 30)
	if stats.Total != 365*137*2 || len(stats.Days) != 30 || stats.Days[29].Total != 137*2 || len(stats.Versions) != 137 || stats.Versions[0].Version != "1.137.0" {
		t.Errorf("%d downloads, %d days, %d versions", stats.Total, len(stats.Days), len(stats.Versions))
	}
	sent := &recorder{}
	cfg := pool.Config()
	cfg.ConnConfig.Tracer = sent
	traced, err := pgxpool.NewWithConfig(t.Context(), cfg)
	errtest.None(t, err)
	t.Cleanup(traced.Close)
	at(t, store.New(traced), noon, 30)
	if len(sent.queries) != 2 {
		t.Errorf("%d queries", len(sent.queries))
	}
	for _, q := range sent.queries {
		if read := rowsRead(t, pool, q.SQL, q.Args...); read > 1000 {
			t.Errorf("reads %d rows: %s", read, q.SQL)
		}
	}
}

// recorder keeps the queries that a pool sends.
type recorder struct{ queries []pgx.TraceQueryStartData }

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	r.queries = append(r.queries, q)
	return ctx
}

func (*recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// rowsRead adds up what the scans of a plan have read.
func rowsRead(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) int {
	t.Helper()
	var plan []byte
	errtest.None(t, pool.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+sql, args...).Scan(&plan))
	var parsed []struct{ Plan node }
	if err := json.Unmarshal(plan, &parsed); err != nil || len(parsed) != 1 {
		t.Fatalf("%v: %s", err, plan)
	}
	return parsed[0].Plan.read()
}

type node struct {
	NodeType    string  `json:"Node Type"`
	ActualRows  float64 `json:"Actual Rows"`
	RowsRemoved float64 `json:"Rows Removed by Filter"`
	Plans       []node
}

func (n node) read() (rows int) {
	if strings.Contains(n.NodeType, "Scan") {
		rows = int(n.ActualRows + n.RowsRemoved)
	}
	for _, child := range n.Plans {
		rows += child.read()
	}
	return rows
}

// TestTotalsOfWhatWasCountedBefore: the totals begin with what there is.
func TestTotalsOfWhatWasCountedBefore(t *testing.T) {
	url := pgtest.NewEmpty(t)
	pool := pgtest.Open(t, url)
	first, err := os.ReadFile("migrations/00001_releases.sql")
	errtest.None(t, err)
	before := pg.Migrations{Name: "releases", FS: fstest.MapFS{"migrations/00001_releases.sql": {Data: first}}}
	errtest.None(t, pg.Migrate(t.Context(), url, before))
	_, err = pool.Exec(t.Context(), `INSERT INTO downloads VALUES ('2026-11-20', '1.0.0', 'a', 'arm64', 2), ('2026-11-20', '1.0.0', 'b', 'x64', 3), ('2026-11-20', '1.0.0', 'c', 'other', 9)`)
	errtest.None(t, err)
	errtest.None(t, store.Migrate(t.Context(), url))
	var day, version int64
	err = pool.QueryRow(t.Context(), `SELECT (SELECT total FROM download_days), (SELECT sum(total) FROM download_versions)`).Scan(&day, &version)
	if err != nil || day != 5 || version != 5 {
		t.Errorf("day %d, versions %d, %v", day, version, err)
	}
}
