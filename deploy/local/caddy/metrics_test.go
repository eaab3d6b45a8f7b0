package caddy_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services/platform/errtest"
)

// runCaddy runs a Caddyfile of deploy/caddy by itself and waits until url answers.
func runCaddy(t *testing.T, caddyfile, url string, env ...string) {
	t.Helper()
	program, doors := built(t)
	dir := t.TempDir()
	process, err := subprocess.Start(subprocess.Spec{
		Name: "caddy", Path: program, Args: []string{"run", "--config", filepath.Join(filepath.Dir(doors), caddyfile), "--adapter", "caddyfile"},
		Env:     append(env, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir),
		LogFile: filepath.Join(dir, "log"), PIDFile: filepath.Join(dir, "pid"), StopTimeout: 5 * time.Second,
	})
	errtest.None(t, err)
	stopAtEnd(t, process)
	errtest.None(t, ready.HTTP(t.Context(), url, 0, process.Done(), 20*time.Second))
}

// twoPorts are free ones.
func twoPorts(t *testing.T) (int, int) {
	t.Helper()
	free := ports.New()
	first, err := free.Port()
	errtest.None(t, err)
	second, err := free.Port()
	errtest.None(t, err)
	return first, second
}

var counted = regexp.MustCompile(`(?m)^caddy_http_request_duration_seconds_count\{code="(\d+)",handler="subroute",.*\} (\d+)$`)

// answersByCode are what the recording rules of the chart count.
func answersByCode(t *testing.T, metrics string) map[string]int {
	t.Helper()
	// As Prometheus asks: by a pod's address.
	all := get(t, http.MethodGet, metrics, http.Header{"Host": {"10.244.0.9:9090"}})
	if all.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %d", metrics, all.StatusCode)
	}
	codes := map[string]int{}
	for _, line := range counted.FindAllStringSubmatch(all.text, -1) {
		n, err := strconv.Atoi(line[2])
		errtest.None(t, err)
		codes[line[1]] += n
	}
	return codes
}

// TestMetricsCountEachRequestOnce in both forms: Caddy lays out the handlers of a site
// with names (this machine's) and of one without (the chart's) in different ways.
func TestMetricsCountEachRequestOnce(t *testing.T) {
	nobody := "127.0.0.1:1"
	forms := map[string]func(t *testing.T) (origin, ops string){
		"with names": func(t *testing.T) (string, string) {
			var ops int
			origin := door(t, nobody, func(o *caddy.Options) { ops = o.OpsPort })
			return origin, "http://" + ports.Loopback(ops)
		},
		"without": func(t *testing.T) (string, string) {
			dir := siteDir(t)
			port, ops := twoPorts(t)
			origin := "http://" + ports.Loopback(port)
			runCaddy(t, "Caddyfile", origin, "FLEDGE_SITE_ADDRESS=http://:"+strconv.Itoa(port), "FLEDGE_OPS_PORT="+strconv.Itoa(ops),
				"FLEDGE_GATEWAY="+nobody, "FLEDGE_EXPORT="+filepath.Join(dir, "out"), "FLEDGE_WEB_ROOT="+filepath.Join(dir, "site"), "FLEDGE_SITE_ORIGIN=https://fledge.test",
				"FLEDGE_SUPPORT_EMAIL=a@fledge.test", "FLEDGE_SALES_EMAIL=a@fledge.test", "FLEDGE_PRIVACY_EMAIL=a@fledge.test", "FLEDGE_CONFIG_DIR="+filepath.Join(dir, "config"))
			return origin, "http://" + ports.Loopback(ops)
		},
	}
	for name, start := range forms {
		t.Run(name, func(t *testing.T) {
			origin, ops := start(t)
			before := answersByCode(t, ops+"/metrics")
			for path, status := range map[string]int{
				"/": 200, "/config.json": 200, "/picture.png": 200, "/blog/": 308, "/nowhere": 404, "/404": 404, "/_next/static/chunks/a1b.js": 200, "/_next/static/chunks/zzz.js": 404,
				"/api/get-plans": 503, // which is a 502 until the errors' page has it
				"/metrics":       404,
			} {
				if got := get(t, http.MethodGet, origin+path, nil).StatusCode; got != status {
					t.Errorf("%s answers %d", path, got)
				}
			}
			after := answersByCode(t, ops+"/metrics")
			for code, n := range map[string]int{"200": 4, "308": 1, "404": 4, "502": 1} {
				if after[code]-before[code] != n {
					t.Errorf("%s: %d were counted, not %d", code, after[code]-before[code], n)
				}
			}
			for _, path := range []string{"/", "/config.json", "/api/get-plans", "/debug/pprof/"} {
				if got := get(t, http.MethodGet, ops+path, nil).StatusCode; got != http.StatusNotFound {
					t.Errorf("the port of the metrics answers %s with %d", path, got)
				}
			}
		})
	}
}

// TestOfKratosAdminPortOnlyTheMetricsAreThere: what reaches it through the container
// that hands them out.
func TestOfKratosAdminPortOnlyTheMetricsAreThere(t *testing.T) {
	var mu sync.Mutex
	var reached []string
	kratos := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		reached = append(reached, r.Method+" "+r.RequestURI)
		_, _ = w.Write([]byte("go_goroutines 1\n"))
	}))
	defer kratos.Close()
	_, port := twoPorts(t)
	ops := "http://" + ports.Loopback(port)
	runCaddy(t, "kratos-metrics.Caddyfile", ops, "FLEDGE_OPS_PORT="+strconv.Itoa(port), "FLEDGE_KRATOS_ADMIN="+kratos.Listener.Addr().String())
	for _, request := range []string{
		"GET /", "GET /admin/identities", "DELETE /admin/identities/1", "GET /metrics/../admin/identities", "GET /metrics/%2e%2e/admin/identities",
		"GET /admin/metrics/prometheus", "GET /metrics/", "POST /metrics", "DELETE /metrics", "PATCH /metrics", "PUT /metrics",
	} {
		method, path, _ := strings.Cut(request, " ")
		if got := get(t, method, ops+path, nil); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", request, got.StatusCode)
		}
	}
	if got := get(t, http.MethodGet, ops+"/metrics?x=/admin/identities", http.Header{"Host": {"10.244.0.9:9090"}}); got.StatusCode != http.StatusOK || got.text != "go_goroutines 1\n" {
		t.Errorf("the metrics: %d %s", got.StatusCode, got.text)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(reached, []string{"GET /admin/metrics/prometheus"}) {
		t.Errorf("Kratos was asked for %v", reached)
	}
}

// TestWithoutKratosItsMetricsFail: Prometheus must see that it is down.
func TestWithoutKratosItsMetricsFail(t *testing.T) {
	_, port := twoPorts(t)
	ops := "http://" + ports.Loopback(port)
	runCaddy(t, "kratos-metrics.Caddyfile", ops, "FLEDGE_OPS_PORT="+strconv.Itoa(port), "FLEDGE_KRATOS_ADMIN=127.0.0.1:1")
	if got := get(t, http.MethodGet, ops+"/metrics", nil).StatusCode; got != http.StatusBadGateway {
		t.Errorf("%d", got)
	}
}
