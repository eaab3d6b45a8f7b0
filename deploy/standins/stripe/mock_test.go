package stripe_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// mockModule is the module that pins Stripe's own mock of its API, which validates every
// request and keeps no state.
const mockModule = "../../tools/stripe-mock"

// goOfMock is the go command in the mock's module.
func goOfMock(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = mockModule, t.Output()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	return cmd
}

// startMock runs the mock until the test ends and returns the base of its API, without a
// trailing slash.
func startMock(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stripe-mock")
	errtest.None(t, goOfMock(t, "build", "-o", program, "github.com/stripe/stripe-mock").Run())
	mock := exec.CommandContext(t.Context(), program, "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	mock.Stderr = t.Output()
	out, err := mock.StdoutPipe()
	errtest.None(t, err)
	errtest.None(t, mock.Start())
	t.Cleanup(func() { _ = mock.Wait() }) // the test's context has ended it
	for said := bufio.NewScanner(out); said.Scan(); {
		if addr, ok := strings.CutPrefix(said.Text(), "Listening for HTTP at address: "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return "http://" + addr
		}
	}
	t.Fatal("the mock does not listen")
	return ""
}

// mockSpec is the file of Stripe's OpenAPI description that the mock works by.
func mockSpec(t *testing.T) string {
	t.Helper()
	out, err := goOfMock(t, "list", "-m", "-f", "{{.Dir}}", "github.com/stripe/stripe-mock").Output()
	errtest.None(t, err)
	return filepath.Join(strings.TrimSpace(string(out)), "embedded", "openapi", "spec3.json")
}
