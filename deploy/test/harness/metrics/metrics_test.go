package metrics_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"fledge.dev/deploy/test/harness/metrics"
	"fledge.dev/services/platform/errtest"
)

const waitlist = `# TYPE waitlist_entries gauge
waitlist_entries{status="pending"} 12
waitlist_entries{status="approved"} 5
# TYPE bus_outbox_pending gauge
bus_outbox_pending 3
`

func TestAValueIsTheSampleWithoutLabels(t *testing.T) {
	process := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, waitlist+"# TYPE a gauge\na{b=\"c\"} 1\na 0.25\naa 2\n")
	}))
	defer process.Close()
	families, err := metrics.Scrape(t.Context(), process.URL)
	errtest.None(t, err)
	for name, want := range map[string]float64{"a": 0.25, "bus_outbox_pending": 3} {
		if got, ok := families.Value(name); !ok || got != want {
			t.Errorf("%s is %v, %t; want %v", name, got, ok, want)
		}
	}
	for want, labels := range map[string]map[string]string{"12": {"status": "pending"}, "17": nil} {
		if got, ok := families.Sum("waitlist_entries", labels); !ok || fmt.Sprint(got) != want {
			t.Errorf("waitlist_entries of %v are %v, %t; want %s", labels, got, ok, want)
		}
	}
	for _, name := range []string{"waitlist_entries", "b"} {
		if got, ok := families.Value(name); ok {
			t.Errorf("%s is %v", name, got)
		}
	}
}
