package product

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/state"
)

// A launch, and the goal of its slowest hundredth.
const (
	launchRate   = 500 // of each kind in a second
	launchLength = 30 * time.Second
	launchP99    = 250 * time.Millisecond
)

// arrivals are the requests of one kind.
type arrivals struct {
	P50, P99, Longest float64 // milliseconds
	Done, Failed      int64
	// Dropped are those that k6 did not send, for too many were not answered yet.
	Dropped int64
}

// launched are the scenarios of deploy/bench/product/launch.js.
var launched = []struct{ scenario, name string }{
	{"signUp", signUpRoute + ", new addresses"},
	{"read", "signed-in reads: auth/user, get-waitlist-status, get-credit-balance in turn"},
}

// Launch sends sign-ups and reads at a fixed rate, without waiting for answers, and
// writes a section of the results.
func Launch(ctx context.Context, opts Options, dir string) (err error) {
	shared, err := state.Open(filepath.Join(opts.Product.Root, ".local"))
	if err != nil {
		return err
	}
	program, err := prepare.New(opts.Product.Root, shared, opts.Product.Progress).K6(ctx)
	if err != nil {
		return err
	}
	p, err := startProduct(ctx, opts.Product)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop(context.WithoutCancel(ctx))) }()
	if err := p.signIn(ctx, clients); err != nil {
		return err
	}
	m := thisMachine()
	summary, err := p.launch(ctx, program, opts.Product.Root, opts.Scratch)
	if err != nil {
		return err
	}
	m.Load[1] = loadAverage()
	table, err := launchTable(m, summary)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(opts.Log, "\n"+table)
	return put(dir, launch, table)
}

// launch runs k6 and returns its summary.
func (p *product) launch(ctx context.Context, program, root, scratch string) ([]byte, error) {
	settings, summary := filepath.Join(scratch, "k6.json"), filepath.Join(scratch, "k6-summary.json")
	content, err := json.Marshal(map[string]any{
		"gateway": p.GatewayURL(), "tokens": p.tokens(clients), "summary": summary,
		"rate": launchRate, "seconds": launchLength.Seconds(), "p99": launchP99.Milliseconds(),
	})
	if err != nil {
		return nil, err
	}
	if err := renameio.WriteFile(settings, content, 0o600); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "run", "--quiet", "--no-usage-report", "--address=", "-e", "SETTINGS="+settings, "launch.js")
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(root, "deploy", "bench", "product"), &out, &out
	// The script is all that runs: k6 would look for other builds of itself.
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false")
	err = child.Run(cmd)
	// A threshold that was crossed is a result: the table tells.
	const crossed = 99
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != crossed) {
		return nil, fmt.Errorf("k6: %w: %s", err, out.Bytes())
	}
	return os.ReadFile(summary)
}

// readSummary finds a scenario in what k6 tells in the end.
func readSummary(content []byte, scenario string) (a arrivals, err error) {
	var summary struct {
		Metrics map[string]struct {
			Values struct {
				Med, Max, Count, Passes float64
				P99                     float64 `json:"p(99)"`
			}
		}
	}
	if err := json.Unmarshal(content, &summary); err != nil {
		return a, fmt.Errorf("k6: %w", err)
	}
	of := func(metric string) string { return metric + "{scenario:" + scenario + "}" }
	took, ok := summary.Metrics[of("iteration_duration")]
	if !ok || summary.Metrics[of("iterations")].Values.Count == 0 {
		return a, fmt.Errorf("k6 tells nothing of %s", scenario)
	}
	return arrivals{
		P50: took.Values.Med, P99: took.Values.P99, Longest: took.Values.Max,
		Done: int64(summary.Metrics[of("iterations")].Values.Count),
		// k6 counts failed requests as passes of this rate.
		Failed:  int64(summary.Metrics[of("http_req_failed")].Values.Passes),
		Dropped: int64(summary.Metrics[of("dropped_iterations")].Values.Count),
	}, nil
}

func launchTable(m machine, summary []byte) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, launch+"\n\n%d requests a second of each kind for %s (k6, open loop), on a product that has just\n"+
		"started. %s, commit %s, %s, %s, %s;\nload average %s before, %s after. By `make bench-launch`.\n\n"+
		"| requests | sent | p50 ms | p99 ms | longest ms | p99 ≤ %d | failed | not sent | 0 of both |\n|---|---:|---:|---:|---:|---|---:|---:|---|\n",
		launchRate, launchLength, m.Date, m.Commit, m.CPU, m.Kernel, m.Go, m.Load[0], m.Load[1], launchP99.Milliseconds())
	for _, load := range launched {
		a, err := readSummary(summary, load.scenario)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %d | %.2f | %.2f | %.2f | %s | %d | %d | %s |\n", load.name, a.Done, a.P50, a.P99, a.Longest,
			met(a.P99 <= float64(launchP99.Milliseconds())), a.Failed, a.Dropped, met(a.Failed+a.Dropped == 0))
	}
	return b.String(), nil
}
