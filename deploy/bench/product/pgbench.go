package product

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pgbench is PostgreSQL's own load generator, in a schema of its own beside the
// service's tables: the same server, disk, connection and TLS.
type pgbench struct {
	program, url, dir string
}

const (
	pgbenchSchema = "pgbench"
	// recorded is the share of transactions whose time is written down.
	recorded = "0.05"
)

func newPgbench(databaseURL, dir string) (*pgbench, error) {
	program, err := exec.LookPath("pgbench")
	if err != nil {
		return nil, errors.New("pgbench is missing: it comes with PostgreSQL (Debian: apt-get install postgresql-contrib)")
	}
	return &pgbench{program: program, url: databaseURL, dir: dir}, nil
}

func (p *pgbench) command(ctx context.Context, args ...string) *exec.Cmd {
	separator := "?"
	if strings.Contains(p.url, "?") {
		separator = "&"
	}
	cmd := exec.CommandContext(ctx, p.program, append(args, p.url+separator+"options=-csearch_path%3D"+pgbenchSchema)...)
	cmd.Dir = p.dir
	return cmd
}

// prepare makes the tables of pgbench's own scripts, at a scale of 100,000 rows each.
func (p *pgbench) prepare(ctx context.Context, scale int) error {
	out, err := p.command(ctx, "-i", "-q", "-s", strconv.Itoa(scale)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pgbench -i: %w: %s", err, out)
	}
	return nil
}

// load is a script with so many clients. A script that begins with @ is one of
// pgbench's own.
func (p *pgbench) load(name, script string, clients int) Load {
	return Load{Name: name, Run: func(ctx context.Context, length time.Duration) (Sample, error) {
		dir, err := os.MkdirTemp(p.dir, "pgbench-")
		if err != nil {
			return Sample{}, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		args := []string{
			"-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(2, clients)), "-T", strconv.Itoa(max(1, int(length.Seconds()))),
			"-l", "--sampling-rate=" + recorded, "--log-prefix=" + filepath.Join(dir, "log"),
		}
		if builtin, ok := strings.CutPrefix(script, "@"); ok {
			args = append(args, "-b", builtin)
		} else {
			file := filepath.Join(dir, "script.sql")
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				return Sample{}, err
			}
			args = append(args, "-f", file)
		}
		out, err := p.command(ctx, args...).CombinedOutput()
		if err != nil {
			return Sample{}, fmt.Errorf("pgbench: %w: %s", err, out)
		}
		sample, err := readPgbench(string(out))
		if err != nil {
			return Sample{}, err
		}
		sample.P50, sample.P99, err = readLogs(filepath.Join(dir, "log.*"))
		return sample, err
	}}
}

var (
	tps    = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	failed = regexp.MustCompile(`(?m)^number of failed transactions: ([0-9]+)`)
)

func readPgbench(out string) (s Sample, err error) {
	found := tps.FindStringSubmatch(out)
	if found == nil {
		return s, fmt.Errorf("pgbench printed no rate: %s", out)
	}
	if s.PerSecond, err = strconv.ParseFloat(found[1], 64); err != nil {
		return s, err
	}
	if found = failed.FindStringSubmatch(out); found != nil {
		s.Failed, err = strconv.ParseInt(found[1], 10, 64)
	}
	return s, err
}

// readLogs finds percentiles in pgbench's logs, whose third column is the time of a
// transaction in microseconds.
func readLogs(pattern string) (p50, p99 time.Duration, err error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return 0, 0, err
	}
	var times []time.Duration
	for _, name := range files {
		if times, err = readLog(name, times); err != nil {
			return 0, 0, err
		}
	}
	p50, p99 = percentiles(times)
	return p50, p99, nil
}

func readLog(name string, times []time.Duration) ([]time.Duration, error) {
	file, err := os.Open(name)
	if err != nil {
		return times, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		columns := strings.Fields(lines.Text())
		if len(columns) < 3 {
			continue
		}
		if micros, err := strconv.ParseInt(columns[2], 10, 64); err == nil {
			times = append(times, time.Duration(micros)*time.Microsecond)
		}
	}
	return times, lines.Err()
}

// percentiles sorts times; zero of none.
func percentiles(times []time.Duration) (p50, p99 time.Duration) {
	if len(times) == 0 {
		return 0, 0
	}
	slices.Sort(times)
	return times[len(times)/2], times[min(len(times)-1, len(times)*99/100)]
}
