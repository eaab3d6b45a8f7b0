package telemetry

import (
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// metricsOfKratos reads them as Prometheus does in a cluster, from the real Kratos.
func metricsOfKratos(t *testing.T, opts stack.Options, s *stack.Stack) {
	port, err := ports.New().Port()
	errtest.None(t, err)
	dir, ops := t.TempDir(), "http://"+ports.Loopback(port)
	process, err := subprocess.Start(subprocess.Spec{
		Name: "caddy", Path: opts.Tools.Caddy,
		Args:    []string{"run", "--config", filepath.Join(opts.Root, "deploy", "caddy", "kratos-metrics.Caddyfile"), "--adapter", "caddyfile"},
		Env:     []string{"FLEDGE_OPS_PORT=" + strconv.Itoa(port), "FLEDGE_KRATOS_ADMIN=" + s.KratosAdminAddr(), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir},
		LogFile: filepath.Join(dir, "log"), PIDFile: filepath.Join(dir, "pid"), StopTimeout: 5 * time.Second,
	})
	errtest.None(t, err)
	defer func() {
		if err := process.Kill(); err != nil {
			t.Error(err)
		}
	}()
	errtest.None(t, ready.HTTP(t.Context(), ops+"/metrics", http.StatusOK, process.Done(), waittest.Timeout))
	for path, status := range map[string]int{"/metrics": http.StatusOK, "/admin/identities": http.StatusNotFound, "/health/ready": http.StatusNotFound} {
		got, text := read(t, ops+path)
		if got != status {
			t.Errorf("%s answers %d", path, got)
		}
		if path == "/metrics" && !strings.Contains(text, `endpoint="/admin/health/ready"`) {
			t.Errorf("these are not Kratos' metrics:\n%s", text)
		}
	}
}

func read(t *testing.T, url string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	errtest.None(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	errtest.None(t, err)
	return resp.StatusCode, string(body)
}
