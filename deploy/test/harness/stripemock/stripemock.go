// Package stripemock runs Stripe's own mock of its API for tests. It validates every
// request, and keeps no state.
package stripemock

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/state"
)

const processTimeout = 30 * time.Second

// Start builds the mock, unless it has been built before, and runs it until the
// test ends. It returns the base of its API, without a trailing slash.
func Start(t *testing.T) string {
	t.Helper()
	root := root(t)
	dir, err := state.Open(filepath.Join(root, ".local"))
	if err != nil {
		t.Fatal(err)
	}
	printer := progress.New(os.Stderr)
	t.Cleanup(printer.Close)
	program, err := prepare.New(root, dir, printer).StripeMock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	free := ports.New()
	addr, err := free.Addr()
	if err != nil {
		t.Fatal(err)
	}
	tls, err := free.Addr() // which it serves on a fixed port otherwise, where two mocks meet
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "stripe-mock.log")
	process, err := child.Start(child.Spec{Name: "stripe-mock", Path: program, Args: []string{"-http-addr", addr, "-https-addr", tls}, LogFile: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), processTimeout)
		defer cancel()
		if err := process.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	if err := ready.TCP(t.Context(), addr, process.Done(), processTimeout); err != nil {
		said, _ := os.ReadFile(log)
		t.Fatalf("stripe-mock: %v: %s", err, said)
	}
	return "http://" + addr
}

// Spec is the file of Stripe's OpenAPI description that the mock works by.
func Spec(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/stripe/stripe-mock")
	cmd.Dir = filepath.Join(root(t), "deploy", "tools", "stripe-mock")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("stripe-mock's module: %w", err))
	}
	return filepath.Join(strings.TrimSpace(string(out)), "embedded", "openapi", "spec3.json")
}

func root(t *testing.T) string {
	t.Helper()
	root, err := state.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	return root
}
