package product

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const ratesHead = `
Each rate for %s, open loop, after the same time unmeasured: %s.
Each program's cores are its CPU time divided by the time that passed, its memory is at the end of the rate, with its
share of what processes have in common (PSS), and connections are the most that were open to PostgreSQL at a time. One
replica of everything. The load generator is not counted, but takes from the same cores.

`

// mixed is what rates.js sends.
const mixed = "in ten requests four for updates, three signed-in reads, two spends and one sign-up"

// around are the processes beside the product's own.
func around() []string { return []string{"kratos", "nats", "postgres"} }

// usage is what processes have computed, in seconds, and what memory they hold, in MiB.
type usage struct{ cpu, memory map[string]float64 }

// rates measures what a mix of requests takes at some rates.
func (b *bench) rates(ctx context.Context) (string, error) {
	if err := b.signIn(ctx, clients); err != nil {
		return "", err
	}
	ids := make([]string, clients)
	for i := range ids {
		ids[i] = b.people[i].ID()
	}
	if err := b.sql("billing", fund, ids)(ctx); err != nil {
		return "", err
	}
	names := append(programs(), around()...)
	times := "| requests a second | p50 ms | p99 ms | failed | not sent | cores | MiB | connections |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n"
	parts := "| requests a second | " + strings.Join(names, " | ") + " |\n|---:|" + strings.Repeat("---:|", len(names)) + "\n"
	for _, rate := range b.opts.Rates {
		if _, err := b.atRate(ctx, rate); err != nil {
			return "", err
		}
		// Tokens live for some minutes.
		if err := b.signIn(ctx, clients); err != nil {
			return "", err
		}
		before, beforeErr := b.usage(names)
		began, most := time.Now(), b.watchConnections(ctx)
		answers, err := b.atRate(ctx, rate)
		passed := time.Since(began).Seconds()
		after, afterErr := b.usage(names)
		connections, watchErr := most()
		if err := errors.Join(beforeErr, err, afterErr, watchErr); err != nil {
			return "", err
		}
		var cores, memory float64
		var of []string
		for _, name := range names {
			used := (after.cpu[name] - before.cpu[name]) / passed
			cores, memory = cores+used, memory+after.memory[name]
			of = append(of, fmt.Sprintf("%.3f, %.0f MiB", used, after.memory[name]))
		}
		times += fmt.Sprintf("| %d | %.2f | %.2f | %d | %d | %.2f | %.0f | %d |\n", rate, answers.P50, answers.P99, answers.Failed, answers.NotSent, cores, memory, connections)
		parts += fmt.Sprintf("| %d | %s |\n", rate, strings.Join(of, " | "))
	}
	return fmt.Sprintf(ratesHead, b.opts.Plan.Length, mixed) + times + "\nCores and memory of each process:\n\n" + parts, nil
}

// answers are what k6 tells of a rate; times are in ms.
type answers struct {
	P50, P99        float64
	Failed, NotSent int
}

func (b *bench) atRate(ctx context.Context, rate int) (a answers, err error) {
	result := filepath.Join(b.opts.Scratch, "rates.json")
	settings, err := json.Marshal(map[string]any{
		"gateway": b.GatewayURL(), "tokens": b.tokens(clients), "result": result,
		"rate": rate, "seconds": seconds(b.opts.Plan.Length), "run": strconv.FormatInt(time.Now().UnixMilli(), 36),
	})
	if err != nil {
		return a, err
	}
	if err := b.runK6(ctx, settings, "rates.js"); err != nil {
		return a, err
	}
	content, err := os.ReadFile(result)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(content, &a)
}

func (b *bench) usage(names []string) (usage, error) {
	all := usage{map[string]float64{}, map[string]float64{}}
	for _, name := range names {
		program, err := b.Program(name)
		if err != nil {
			return all, err
		}
		for _, pid := range family(program.PID()) {
			mib, _ := smaps(pid, "Pss:") // a child may be gone
			all.cpu[name] += computed(pid)
			all.memory[name] += mib
		}
	}
	return all, nil
}

// family is a process and its children: PostgreSQL has one for each connection.
func family(pid int) []int {
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	all := []int{pid}
	for child := range strings.FieldsSeq(string(children)) {
		if n, err := strconv.Atoi(child); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// computed is a process's CPU time with that of its children which have ended, in seconds (proc_pid_stat(5)).
func computed(pid int) float64 {
	// Linux counts to a program in hundredths of a second (sysconf(_SC_CLK_TCK)); utime is column 14 of all.
	const ticks, afterName, first, fields = 100, 2, 14, 4
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	columns := strings.Fields(rest)
	var sum float64
	for i := range fields {
		if at := first - afterName - 1 + i; at < len(columns) {
			n, _ := strconv.ParseFloat(columns[at], 64)
			sum += n / ticks
		}
	}
	return sum
}

// watchConnections counts the connections to the services' databases until the function that it returns is
// called, which tells the most.
func (b *bench) watchConnections(ctx context.Context) (most func() (int, error)) {
	ctx, stop := context.WithCancel(ctx)
	counts, failed := []int{0}, make(chan error, 1)
	go func() {
		failed <- b.sampleConnections(ctx, func(n int) { counts = append(counts, n) })
	}()
	return func() (int, error) {
		stop()
		err := <-failed
		return slices.Max(counts), err
	}
}

func (b *bench) sampleConnections(ctx context.Context, seen func(int)) (err error) {
	db, err := pgx.Connect(ctx, b.DatabaseURL("waitlist"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var n int
		err := db.QueryRow(context.WithoutCancel(ctx), "SELECT count(*) - 1 FROM pg_stat_activity WHERE usename IS NOT NULL AND starts_with(datname, 'fledge_')").Scan(&n)
		if err != nil {
			return err
		}
		seen(n)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// runK6 runs a script of this folder. A threshold that was crossed is a result, which the script's output tells.
func (b *bench) runK6(ctx context.Context, settings []byte, script string) error {
	// The script is all that runs: k6 would look for other builds of itself.
	env := []string{"SETTINGS=" + string(settings), "K6_AUTO_EXTENSION_RESOLUTION=false"}
	_, err := b.opts.run(ctx, env, b.k6, "run", "--quiet", "--no-usage-report", "--address=", script)
	const crossed = 99
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != crossed) {
		return err
	}
	return nil
}
