package product

import (
	"bytes"
	"context"
	_ "embed" // setup.sql
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fledge.dev/deploy/local/subprocess"
)

// run runs a program in the folder of this file, where the scripts are.
func (o Options) run(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = o.path("product"), append(os.Environ(), env...), &out, &out
	if err := subprocess.Run(cmd); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(name), err, out.Bytes())
	}
	return out.Bytes(), nil
}

func seconds(length time.Duration) string { return strconv.Itoa(max(1, int(length.Seconds()))) }

//go:embed setup.sql
var setUp string

// setUp makes the tables of pgbench's side in the waitlist's database; pgbench's own have
// 100,000 rows ten times.
func (b *bench) setUp(ctx context.Context) error {
	for program, debian := range map[string]string{"wrk": "wrk", "pgbench": "postgresql-contrib"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing: install it (Debian: apt-get install %s)", program, debian)
		}
	}
	if err := b.sql("waitlist", setUp)(ctx); err != nil {
		return err
	}
	_, err := b.pgbench(ctx, "-i", "-q", "-s", "10")
	return err
}

// pgbench runs PostgreSQL's own load generator on the service's server, disk and TLS.
func (b *bench) pgbench(ctx context.Context, args ...string) ([]byte, error) {
	return b.opts.run(ctx, []string{"PGOPTIONS=-c search_path=pgbench"}, "pgbench", append(args, b.DatabaseURL("waitlist"))...)
}

// script is a load of pgbench: a file of SQL beside this one (-f), or one of its own (-b).
func (b *bench) script(name string, clients int, script ...string) Load {
	return Load{Name: name, Run: func(ctx context.Context, length time.Duration) (Sample, error) {
		logs, err := os.MkdirTemp(b.opts.Scratch, "pgbench-")
		if err != nil {
			return Sample{}, err
		}
		defer func() { _ = os.RemoveAll(logs) }()
		out, err := b.pgbench(ctx, append(script, "-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(2, clients)),
			"-T", seconds(length), "-l", "--sampling-rate=0.05", "--log-prefix="+filepath.Join(logs, "log"))...)
		if err != nil {
			return Sample{}, err
		}
		return readPgbench(out, logs)
	}}
}

var (
	tps    = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	failed = regexp.MustCompile(`(?m)^number of failed transactions: ([0-9]+)`)
)

// readPgbench reads what pgbench prints. Percentiles it does not: these are of the times
// in its logs, whose third column is that of a transaction in microseconds.
func readPgbench(out []byte, logs string) (s Sample, err error) {
	found, wrong := tps.FindSubmatch(out), failed.FindSubmatch(out)
	if found == nil || wrong == nil {
		return s, fmt.Errorf("pgbench printed no rate: %s", out)
	}
	s.PerSecond, _ = strconv.ParseFloat(string(found[1]), 64)
	s.Failed, _ = strconv.ParseInt(string(wrong[1]), 10, 64)
	files, _ := filepath.Glob(filepath.Join(logs, "log.*"))
	var times []float64
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return s, err
		}
		for line := range strings.Lines(string(content)) {
			if columns := strings.Fields(line); len(columns) > 2 {
				micros, _ := strconv.ParseFloat(columns[2], 64)
				times = append(times, micros/1000)
			}
		}
	}
	if slices.Sort(times); len(times) > 0 {
		s.P50, s.P99 = times[len(times)/2], times[len(times)*99/100]
	}
	return s, nil
}

// request is what wrk sends over and over, see wrk.lua for what a body may hold.
type request struct {
	Method, URL, Body, Header string
	// Tokens are access tokens, one after the other, or refresh tokens of a body with %t.
	Tokens []string
	// Status is the one that is wanted; 0 is 200.
	Status int
}

// requests is a load of wrk, whose connections each wait for their answer.
func (o Options) requests(name string, connections int, r request) Load {
	threads := min(2, connections)
	if strings.Contains(r.Body, "%t") {
		threads = connections
	}
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	return Load{Name: name, Run: func(ctx context.Context, length time.Duration) (Sample, error) {
		tokens := filepath.Join(o.Scratch, "tokens")
		if err := os.WriteFile(tokens, []byte(strings.Join(r.Tokens, "\n")), 0o600); err != nil {
			return Sample{}, err
		}
		env := []string{
			"METHOD=" + r.Method, "BODY=" + r.Body, "STATUS=" + strconv.Itoa(r.Status), "TOKENS=" + tokens,
			"RUN=" + strconv.FormatInt(time.Now().UnixMilli(), 36),
		}
		args := []string{"-t", strconv.Itoa(threads), "-c", strconv.Itoa(connections), "-d", seconds(length) + "s", "--timeout", "10s", "-s", "wrk.lua"}
		if r.Header != "" {
			args = append(args, "-H", r.Header)
		}
		out, err := o.run(ctx, env, "wrk", append(args, r.URL)...)
		if err != nil {
			return Sample{}, err
		}
		return readWrk(out)
	}}
}

func readWrk(out []byte) (s Sample, err error) {
	_, figures, ok := bytes.Cut(out, []byte("figures "))
	if !ok {
		return s, fmt.Errorf("wrk printed no figures: %s", out)
	}
	return s, json.Unmarshal(figures, &s)
}
