package product

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// What each of the six programs may take.
const (
	readyMS = 300
	idleMiB = 45
	sizeMB  = 32
	starts  = 5
)

const footprintHead = `Ready from the start of the process with a migrated database, middle one of %d starts (polled every 20 ms);
memory of its own (USS) after that, idle; size without symbols.

| program | ready ms | ≤ %d | idle MiB | ≤ %d | size MB | ≤ %d |
|---|---:|---|---:|---|---:|---|
`

func (o Options) stripped() string { return filepath.Join(o.Scratch, "stripped") }

// buildStripped builds the programs as deploy/images/go.Dockerfile does.
func (b *bench) buildStripped(ctx context.Context) error {
	_, err := b.opts.run(ctx, nil, "go", "build", "-trimpath", "-tags=nomsgpack,grpcnotrace", "-ldflags=-s -w", "-o", b.opts.stripped()+"/",
		"fledge.dev/gateway/cmd/...", "fledge.dev/services/...")
	return err
}

// footprint measures the six programs of a product that nobody uses.
func (b *bench) footprint(ctx context.Context) (string, error) {
	text := fmt.Sprintf(footprintHead, starts, readyMS, idleMiB, sizeMB)
	for _, name := range programs() {
		program, err := b.Program(name)
		if err != nil {
			return "", err
		}
		took := make([]float64, starts)
		for i := range took {
			if err := program.Stop(ctx); err != nil {
				return "", err
			}
			began := time.Now()
			if err := program.Start(ctx); err != nil {
				return "", err
			}
			took[i] = float64(time.Since(began).Milliseconds())
		}
		memory, err := own(program.PID())
		if err != nil {
			return "", err
		}
		info, err := os.Stat(filepath.Join(b.opts.stripped(), name))
		if err != nil {
			return "", err
		}
		ready, size := spread(took).Median, float64(info.Size())/1e6
		text += fmt.Sprintf("| %s | %.0f | %s | %.1f | %s | %.1f | %s |\n", name, ready, met(ready <= readyMS), memory, met(memory <= idleMiB), size, met(size <= sizeMB))
	}
	return text, nil
}

// own is the memory of a process in MiB that would be free without it.
func own(pid int) (float64, error) {
	return smaps(pid, "Private_")
}

// smaps adds up the lines of a process's memory that begin so, in MiB.
func smaps(pid int, prefix string) (mib float64, err error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); strings.HasPrefix(line, prefix) {
			kib, _ := strconv.ParseFloat(fields[1], 64)
			mib += kib / 1024
		}
	}
	return mib, err
}
