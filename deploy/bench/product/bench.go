package product

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/stack"
)

// Options says what to measure and how long.
type Options struct {
	// Product describes a stack of processes with state of its own.
	Product stack.Options
	// Scratch is a folder for what the load generators write.
	Scratch string
	Plan    Plan
	// Only measures the groups whose names have this in them; "" measures all.
	Only string
	// Profiles is a folder for CPU and allocation profiles of the busiest loads; ""
	// takes none.
	Profiles string
	// Log is told how it goes.
	Log io.Writer
}

type bench struct {
	opts    Options
	product *product
	pgbench *pgbench
	wrk     *wrk
	// notes are facts besides the tables.
	notes []string
	// peers are what others would use instead, see pocketbase.go.
	peers []*child.Process
	ports *ports.Allocator
	// lag is how old an event became at most before it was published.
	lag time.Duration
}

// pgbenchScale is pgbench's own: 100,000 accounts each.
const pgbenchScale = 10

// Report is what was measured, and where.
type Report struct {
	Results []Result
	machine machine
	plan    Plan
	notes   []string
}

// Run starts the product, measures everything and stops it.
func Run(ctx context.Context, opts Options) (report Report, err error) {
	report = Report{machine: thisMachine(), plan: opts.Plan}
	b, err := start(ctx, opts)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, b.stopPeers(ctx), b.product.Stop(context.WithoutCancel(ctx))) }()
	report.Results, err = b.measure(ctx)
	report.notes, report.machine.Load[1] = b.notes, loadAverage()
	return report, err
}

// start brings up the product and the load generators.
func start(ctx context.Context, opts Options) (b *bench, err error) {
	b = &bench{opts: opts, ports: ports.New()}
	if b.wrk, err = newWrk(opts.Scratch); err != nil {
		return nil, err
	}
	if b.product, err = startProduct(ctx, opts.Product); err != nil {
		return nil, err
	}
	if err := b.prepare(ctx); err != nil {
		return nil, errors.Join(err, b.product.Stop(context.WithoutCancel(ctx)))
	}
	return b, nil
}

func (b *bench) prepare(ctx context.Context) (err error) {
	if b.pgbench, err = newPgbench(b.product.DatabaseURL("waitlist"), b.opts.Scratch); err != nil {
		return err
	}
	err = b.product.inDatabase(ctx, "waitlist", func(db *pgx.Conn) error {
		if err := breakIn(ctx, db); err != nil {
			return err
		}
		_, err := db.Exec(ctx, plainTables)
		return err
	})
	if err != nil {
		return err
	}
	return b.pgbench.prepare(ctx, pgbenchScale)
}

// breakIn has PostgreSQL go through the files of its write-ahead log, as one that is in use
// has: a new one first makes each of them, and all writers wait meanwhile.
func breakIn(ctx context.Context, db *pgx.Conn) error {
	const chunk, total = 4 << 20, 1 << 30
	for range total / chunk {
		if _, err := db.Exec(ctx, "SELECT pg_logical_emit_message(false, 'bench', repeat('x', $1))", chunk); err != nil {
			return fmt.Errorf("use the write-ahead log: %w", err)
		}
	}
	return nil
}

func prepared(g Group) func(context.Context) (Group, error) {
	return func(context.Context) (Group, error) { return g, nil }
}

func (b *bench) measure(ctx context.Context) (results []Result, err error) {
	for _, part := range []struct {
		name    string
		prepare func(context.Context) (Group, error)
	}{
		{"sign-up", prepared(b.signUp())}, {"alone", b.alone}, {"events", prepared(b.events())}, {"reads", b.reads}, {"credits", b.credits}, {"feeds", prepared(b.feeds())},
		{"lists", b.lists}, {"lists, no total", b.pages}, {"pocketbase", b.besidePocketBase}, {"pocketbase, durable", b.besideDurable},
	} {
		if !strings.Contains(part.name, b.opts.Only) {
			continue
		}
		g, err := part.prepare(ctx)
		if err != nil {
			return results, err
		}
		r, err := b.run(ctx, g)
		if err != nil {
			return results, err
		}
		results = append(results, r)
		switch part.name {
		case "sign-up":
			b.latency(r, 1, "p99", Result.P99, 3)
		case "alone":
			b.latency(r, 2, "p50", Result.P50, 2)
		case "events":
			b.noteEvents(r)
		case "credits":
			if err := b.ledgerAddsUp(ctx); err != nil {
				return results, err
			}
			b.note("Credits: every balance is the sum of its entries and of its grants, and no entry's number is missing")
		}
	}
	if b.opts.Profiles != "" {
		return results, b.profile(ctx)
	}
	return results, nil
}

func (b *bench) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// latency notes how many times as long a load takes as the group's first one.
func (b *bench) latency(r Result, load int, percentile string, of func(Result, int) Spread, most float64) {
	times := of(r, load).Median / of(r, 0).Median
	b.note("%s: %s is %.1f times that of %s (goal: ≤ %.0f: %s)", r.Group.Name, percentile, times, r.Group.Loads[0].Name, most, met(times <= most))
}

// run measures a group and tells how it went.
func (b *bench) run(ctx context.Context, g Group) (Result, error) {
	if _, err := b.product.parts(); err != nil {
		return Result{}, err
	}
	used := func() map[string]time.Duration {
		parts, _ := b.product.parts() // of this moment: one may have been restarted
		return usage(parts)
	}
	r, err := Measure(ctx, g, b.opts.Plan, used, func(load string, round int, s Sample) {
		_, _ = fmt.Fprintf(b.opts.Log, "%-22s %d  %-46s %8.0f/s  p50 %8s  p99 %8s  %d failed\n",
			g.Name, round+1, load, s.PerSecond, s.P50.Round(10*time.Microsecond), s.P99.Round(10*time.Microsecond), s.Failed)
	})
	if err == nil {
		_, _ = fmt.Fprintln(b.opts.Log, "\n"+r.table())
	}
	return r, err
}
