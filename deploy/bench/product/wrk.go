package product

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/renameio/v2"
)

//go:embed wrk.lua
var wrkScript []byte

// wrk sends requests over connections that each wait for their answer
// (https://github.com/wg/wrk).
type wrk struct {
	program, dir string
	runs         atomic.Int64
}

func newWrk(dir string) (*wrk, error) {
	program, err := exec.LookPath("wrk")
	if err != nil {
		return nil, errors.New("wrk is missing: install it (Debian: apt-get install wrk)")
	}
	return &wrk{program: program, dir: dir}, renameio.WriteFile(filepath.Join(dir, "wrk.lua"), wrkScript, 0o600)
}

// request is what wrk sends over and over. In Body and Path, %s is the number of the
// request, which no other has.
type request struct {
	Method, URL, Body string
	// Also is a path that is asked as often as URL, if given: an operation is both
	// then, its times those of one of them.
	Also string
	// Headers are sent in addition to those of JSON.
	Headers map[string]string
	// Tokens are access tokens, one after the other.
	Tokens []string
	// Status is the one that is wanted; 0 is 200.
	Status      int
	Connections int
}

func (w *wrk) load(name string, r request) Load {
	if r.Connections == 0 {
		r.Connections = clients
	}
	if r.Status == 0 {
		r.Status = 200
	}
	return Load{Name: name, Run: func(ctx context.Context, length time.Duration) (Sample, error) {
		// Every run has numbers of its own.
		run := strconv.FormatInt(time.Now().UnixMilli(), 36) + strconv.FormatInt(w.runs.Add(1), 36)
		settings, err := w.settings(run, r)
		if err != nil {
			return Sample{}, err
		}
		cmd := exec.CommandContext(ctx, w.program, "-t", strconv.Itoa(min(2, r.Connections)), "-c", strconv.Itoa(r.Connections),
			"-d", strconv.Itoa(max(1, int(length.Seconds())))+"s", "--timeout", "10s", "-s", filepath.Join(w.dir, "wrk.lua"), r.URL, "--", settings)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return Sample{}, fmt.Errorf("wrk: %w: %s", err, out)
		}
		sample, err := readWrk(out)
		if r.Also != "" {
			sample.PerSecond /= 2
		}
		return sample, err
	}}
}

// settings are a Lua file: wrk's language has no JSON.
func (w *wrk) settings(run string, r request) (string, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "return {run = %q, method = %q, body = %q, also = %q, status = %d, headers = {", run, r.Method, r.Body, r.Also, r.Status)
	for key, value := range r.Headers {
		fmt.Fprintf(&b, "[%q] = %q, ", key, value)
	}
	b.WriteString("}, tokens = {")
	for _, token := range r.Tokens {
		fmt.Fprintf(&b, "%q, ", token)
	}
	b.WriteString("}}\n")
	file := filepath.Join(w.dir, "wrk-"+run+".lua")
	return file, renameio.WriteFile(file, b.Bytes(), 0o600)
}

func readWrk(out []byte) (Sample, error) {
	_, told, ok := bytes.Cut(out, []byte("\nfigures "))
	if !ok {
		return Sample{}, fmt.Errorf("wrk printed no results: %s", out)
	}
	var figures struct {
		Requests, Micros, P50, P99, Failed int64
	}
	if err := json.Unmarshal(told, &figures); err != nil {
		return Sample{}, fmt.Errorf("wrk: %w: %s", err, told)
	}
	return Sample{
		PerSecond: float64(figures.Requests-figures.Failed) / (float64(figures.Micros) / 1e6),
		P50:       time.Duration(figures.P50) * time.Microsecond, P99: time.Duration(figures.P99) * time.Microsecond, Failed: figures.Failed,
	}, nil
}
