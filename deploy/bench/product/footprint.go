package product

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fledge.dev/deploy/local/stack"
)

// What each of the six programs may take.
const (
	readyIn  = 300 * time.Millisecond
	idleMiB  = 40
	sizeMB   = 30
	starts   = 5
	stripped = "-s -w"
	// imageTags are those of deploy/images/go.Dockerfile.
	imageTags = "nomsgpack,grpcnotrace"
)

// Footprint measures the six programs of a product that nobody uses, and writes a
// section of the results: the time from the start of the process until it is ready,
// with a migrated database; the memory that is its own; the size without symbols.
func Footprint(ctx context.Context, opts stack.Options, dir string) (err error) {
	p, err := startProduct(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop(context.WithoutCancel(ctx)) }()
	var b strings.Builder
	fmt.Fprintf(&b, footprint+"\n\nReady from the start of the process with a migrated database, middle one of %d starts (polled every 20 ms);\n"+
		"memory of its own (USS) after that, idle; size without symbols. Load average %s.\n\n"+
		"| program | ready ms | ≤ %d | idle MiB | ≤ %d | size MB | ≤ %d |\n|---|---:|---|---:|---|---:|---|\n",
		starts, loadAverage(), readyIn.Milliseconds(), idleMiB, sizeMB)
	for _, name := range programs() {
		took, err := p.restart(ctx, name)
		if err != nil {
			return err
		}
		size, err := strippedSize(ctx, opts, name)
		if err != nil {
			return err
		}
		program, err := p.Program(name)
		if err != nil {
			return err
		}
		memory, err := own(program.PID())
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "| %s | %.0f | %s | %.1f | %s | %.1f | %s |\n", name, took, met(took <= float64(readyIn.Milliseconds())),
			memory, met(memory <= idleMiB), size, met(size <= sizeMB))
	}
	return put(dir, footprint, b.String())
}

// restart returns how many milliseconds a program takes to be ready.
func (p *product) restart(ctx context.Context, name string) (float64, error) {
	program, err := p.Program(name)
	if err != nil {
		return 0, err
	}
	var took []float64
	for range starts {
		if err := program.Stop(ctx); err != nil {
			return 0, err
		}
		began := time.Now()
		if err := program.Start(ctx); err != nil {
			return 0, err
		}
		took = append(took, milliseconds(time.Since(began)))
	}
	return spread(took).Median, nil
}

// strippedSize builds a program as the images have it and returns its size in MB.
func strippedSize(ctx context.Context, opts stack.Options, name string) (float64, error) {
	pkg := "./services/" + name + "/cmd/" + name
	if name == "gateway" {
		pkg = "./gateway/cmd/gateway"
	}
	program := filepath.Join(opts.State.Path("stripped"), name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags="+imageTags, "-ldflags="+stripped, "-o", program, pkg)
	cmd.Dir = opts.Root
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build %s: %w: %s", name, err, out)
	}
	info, err := os.Stat(program)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()) / 1e6, nil
}

// own is the memory of a process in MiB that would be free without it.
func own(pid int) (float64, error) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return 0, err
	}
	var kib float64
	for line := range bytes.Lines(content) {
		fields := strings.Fields(string(line))
		if len(fields) > 1 && strings.HasPrefix(fields[0], "Private_") {
			n, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				return 0, err
			}
			kib += n
		}
	}
	return kib / 1024, nil
}
