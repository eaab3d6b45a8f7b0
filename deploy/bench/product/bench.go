package product

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
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
	// Rates are the requests a second that rates measures.
	Rates []int
	// Log is told how it goes.
	Log io.Writer
}

// path is that of a file of deploy/bench.
func (o Options) path(name ...string) string {
	return filepath.Join(append([]string{o.Product.Root, "deploy", "bench"}, name...)...)
}

// bench is the whole product as processes of their own, all with mutual TLS, people who
// are signed in, and the load generators.
type bench struct {
	*stack.Stack

	opts   Options
	admin  *person.Person
	people []*person.Person
	// k6 is the program, for launch and rates.
	k6 string
}

// clients is how many wait for an answer at the same time.
const clients = 64

// section is a part of the results, by what the command is asked for.
type section struct {
	title, target string
	// build, if given, makes what is needed before the product starts.
	build   func(*bench, context.Context) error
	measure func(*bench, context.Context) (string, error)
}

var sections = map[string]section{
	"":          {"Pairs", "bench", nil, (*bench).pairs},
	"launch":    {"Launch", "bench-launch", (*bench).buildK6, (*bench).launch},
	"rates":     {"Rates", "bench-rates", (*bench).buildK6, (*bench).rates},
	"footprint": {"Footprint", "bench-size", (*bench).buildStripped, (*bench).footprint},
	"growth":    {"Growth", "bench-growth", nil, (*bench).growth},
	"import":    {"Import", "bench-import", nil, (*bench).importing},
}

// Run starts the product, measures what is asked for, and stops the product. It prints a
// section of the results and writes it, unless it is only a part. All the load comes from
// one address, so the rates of one address are out of reach; they are counted all the same.
func Run(ctx context.Context, opts Options, what string) (err error) {
	s, ok := sections[what]
	if !ok {
		return fmt.Errorf("there is no %q to measure", what)
	}
	b := &bench{opts: opts}
	if s.build != nil {
		if err := s.build(b, ctx); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("By `make %s`. %s, ", s.target, machine(ctx))
	opts.Product.Settings = map[string][]string{}
	for _, name := range programs() {
		opts.Product.Settings[name] = []string{"PROFILES=true"}
	}
	opts.Product.Settings["gateway"] = append(opts.Product.Settings["gateway"], stacktest.NoLimits()...)
	if b.Stack, err = stack.Start(ctx, opts.Product); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Stop(context.WithoutCancel(ctx))) }()
	for _, name := range programs() {
		_, _ = fmt.Fprintf(opts.Log, "profiles of %s: %s\n", name, strings.Replace(b.MetricsURLs()[name], "/metrics", "/debug/pprof/", 1))
	}
	b.admin = person.New(b.URLs().Site)
	if err := b.admin.SignIn(ctx, stack.AdminEmail); err != nil {
		return err
	}
	measured, err := s.measure(b, ctx)
	if err != nil {
		return err
	}
	text += loadAverage(ctx) + " after.\n" + measured
	_, _ = fmt.Fprintf(opts.Log, "\n%s\n", text)
	if opts.Only != "" {
		return nil
	}
	return opts.put(s.title, text)
}

// programs are the product's own processes.
func programs() []string { return append(services.Names(), "gateway") }

const pairsHead = `%d rounds of %s, %d connections. Everything on loopback, load generators included; processes as they ship, all
middleware and logs; mutual TLS between them, to NATS and to PostgreSQL (pgbench speaks TLS, too); fsync and
synchronous_commit on. A ratio is the middle one of the rounds' ratios to the first load of its table, with the
lowest and the highest.

`

// pairs measures all groups, or some.
func (b *bench) pairs(ctx context.Context) (string, error) {
	if err := b.setUp(ctx); err != nil {
		return "", err
	}
	text := fmt.Sprintf(pairsHead, b.opts.Plan.Rounds, b.opts.Plan.Length, clients)
	for _, part := range []struct {
		name  string
		group func(context.Context) (Group, error)
	}{{"sign-up", b.signUp}, {"alone", b.alone}, {"outbox", b.outbox}, {"reads", b.reads}, {"credits", b.credits}, {"feeds", b.feeds}} {
		if !strings.Contains(part.name, b.opts.Only) {
			continue
		}
		g, err := part.group(ctx)
		if err != nil {
			return "", err
		}
		r, err := b.measure(ctx, g)
		if err != nil {
			return "", err
		}
		text += r.table()
	}
	return text, nil
}

func (b *bench) measure(ctx context.Context, g Group) (Result, error) {
	return Measure(ctx, g, b.opts.Plan, b.cpu, b.opts.Log)
}
