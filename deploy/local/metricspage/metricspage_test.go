package metricspage_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"fledge.dev/deploy/local/metricspage"
)

const gateway = `# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{status="200",le="0.1"} 98
http_request_duration_seconds_bucket{status="200",le="0.5"} 98
http_request_duration_seconds_bucket{status="200",le="+Inf"} 98
http_request_duration_seconds_count{status="200"} 98
http_request_duration_seconds_bucket{status="503",le="0.1"} 0
http_request_duration_seconds_bucket{status="503",le="0.5"} 2
http_request_duration_seconds_bucket{status="503",le="+Inf"} 2
http_request_duration_seconds_count{status="503"} 2
`

const waitlist = `# TYPE waitlist_entries gauge
waitlist_entries{status="pending"} 12
waitlist_entries{status="approved"} 5
# TYPE bus_outbox_pending gauge
bus_outbox_pending 3
`

func TestThePageShowsWhatProcessesTell(t *testing.T) {
	metrics := map[string]string{"billing": "http://127.0.0.1:1/metrics"}
	for name, text := range map[string]string{"gateway": gateway, "waitlist": waitlist} {
		process := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
		t.Cleanup(process.Close)
		metrics[name] = process.URL
	}
	server, err := metricspage.Start(t.Context(), metricspage.Options{Addr: "127.0.0.1:0", Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", resp.Status, err)
	}
	seen := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(body), " ")), " ")
	for _, want := range []string{"gateway 100 2 500 ms –", "waitlist – – – – 3", "billing does not answer", "Waiting 12", "Approved 5", "Tickets opened –"} {
		if !strings.Contains(seen, want) {
			t.Errorf("the page lacks %q: %s", want, seen)
		}
	}
}

func TestAValueIsTheSampleWithoutLabels(t *testing.T) {
	process := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, waitlist+"# TYPE a gauge\na{b=\"c\"} 1\na 0.25\naa 2\n")
	}))
	defer process.Close()
	families, err := metricspage.Scrape(t.Context(), process.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"a": 0.25, "bus_outbox_pending": 3} {
		if got, ok := families.Value(name); !ok || got != want {
			t.Errorf("%s is %v, %t; want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{"waitlist_entries", "b"} {
		if got, ok := families.Value(name); ok {
			t.Errorf("%s is %v", name, got)
		}
	}
}

func TestThePageStaysOnThisMachine(t *testing.T) {
	if _, err := metricspage.Start(t.Context(), metricspage.Options{Addr: "0.0.0.0:0"}); err == nil {
		t.Error("it listens for everybody")
	}
}
