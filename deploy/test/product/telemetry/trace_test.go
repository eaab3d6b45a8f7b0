package telemetry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/metrics"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestTheRunningProduct starts the product once for all that is asked of it here.
func TestTheRunningProduct(t *testing.T) {
	traces := startCollector(t)
	opts := stacktest.Options(t, stack.InProcess)
	opts.Settings = map[string][]string{}
	for _, name := range append(services.Names(), "gateway") {
		opts.Settings[name] = []string{"OTLP_ENDPOINT=" + traces.url}
	}
	stacktest.Patient(&opts)
	s := stacktest.Start(t, opts)
	admin := person.New(s.URLs().Site)
	errtest.None(t, admin.SignIn(t.Context(), stack.AdminEmail))
	t.Run("one trace", func(t *testing.T) { oneTrace(t, opts, s, admin, traces) })
	t.Run("metrics of all queries", func(t *testing.T) { allAreThere(t, s) })
	t.Run("a row for every periodic task", func(t *testing.T) { everyTaskHasARow(t, s) })
	t.Run("metrics of Kratos", func(t *testing.T) { metricsOfKratos(t, opts, s) })
	t.Run("metrics of all programs", func(t *testing.T) { metricsOfAll(t, s) })
}

// oneTrace follows an approval from the browser over the gateway and the waitlist into the
// queue of emails, and through the outbox and the stream to identity's audit log.
func oneTrace(t *testing.T, opts stack.Options, s *stack.Stack, admin *person.Person, traces *collector) {
	const email = "traced@fledge.test"
	errtest.None(t, admin.Call(t.Context(), http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": email}, nil))
	// The traceparent of an outside client is ignored.
	const foreign = "4bf92f3577b34da6a3ce929d0e0e4736"
	requestID := approve(t, admin, s.URLs().Site, email, "00-"+foreign+"-00f067aa0ba902b7-01")

	want := []string{
		"gateway: POST /api/approve-waitlist-user",
		"gateway: fledge.waitlist.v1.WaitlistService/ApproveUser",
		"waitlist: fledge.waitlist.v1.WaitlistService/ApproveUser",
		"waitlist: job letter",
		"waitlist: publish fledge.waitlist.v1.staff.action",
		"identity: consume fledge.waitlist.v1.staff.action",
	}
	var trace string
	var spans []span
	missing := slices.Clone(want)
	defer func() {
		if t.Failed() {
			t.Logf("trace %q has %v, which leaves out %q", trace, names(spans), missing)
		}
	}()
	waittest.Eventually(t, "all spans in one trace", func() bool {
		trace, spans = traces.having(requestID)
		found := names(spans)
		missing = slices.DeleteFunc(slices.Clone(want), func(name string) bool { return slices.Contains(found, name) })
		return trace != "" && len(missing) == 0
	})
	if trace == foreign {
		t.Error("the gateway joined a stranger's trace")
	}
	for _, s := range spans {
		if s.root != (s.name == "POST /api/approve-waitlist-user") {
			t.Errorf("%s: %s: is it the root? %t", s.service, s.name, s.root)
		}
		if strings.Contains(s.String(), email) {
			t.Errorf("%s: %s tells the address: %v", s.service, s.name, s.Span)
		}
	}
	for service, message := range map[string]string{"gateway": "request", "waitlist": "email sent"} {
		waittest.Eventually(t, fmt.Sprintf("%s's line %q with the trace", service, message), func() bool {
			return logged(t, opts.State.Log(service), message, trace)
		})
	}
}

func names(spans []span) []string {
	all := make([]string, len(spans))
	for i, s := range spans {
		all[i] = s.service + ": " + s.name
	}
	return all
}

// approve lets somebody in and returns the request's id.
func approve(t *testing.T, admin *person.Person, site, email, traceparent string) string {
	t.Helper()
	var found struct{ Data []struct{ ID string } }
	if err := admin.Call(t.Context(), http.MethodGet, "/api/get-waitlist-users?search="+email, nil, &found); err != nil || len(found.Data) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	body, err := json.Marshal(map[string]string{"waitlistUserId": found.Data[0].ID, "action": "approve"})
	errtest.None(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+"/api/approve-waitlist-user", bytes.NewReader(body))
	errtest.None(t, err)
	req.Header.Set("Traceparent", traceparent)
	resp, err := admin.Do(req)
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: %s", resp.Status, answer)
	}
	return resp.Header.Get("X-Request-Id")
}

// logged looks for a line of a log, by message and trace.
func logged(t *testing.T, file, message, trace string) bool {
	t.Helper()
	content, err := os.ReadFile(file)
	errtest.None(t, err)
	for _, line := range bytes.Split(content, []byte("\n")) {
		var entry struct {
			Msg     string
			TraceID string `json:"trace_id"`
		}
		if json.Unmarshal(line, &entry) == nil && entry.Msg == message && entry.TraceID == trace {
			return true
		}
	}
	return false
}

// metricsOfAll reads the addresses that `make run` prints: each process answers, and the
// approval above is counted.
func metricsOfAll(t *testing.T, s *stack.Stack) {
	approved := 0.0
	for name, url := range s.MetricsURLs() {
		families, err := metrics.Scrape(t.Context(), url)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "waitlist" {
			approved, _ = families.Sum("waitlist_entries", map[string]string{"status": "approved"})
		}
	}
	if approved != 2 {
		t.Errorf("%v entries are approved", approved)
	}
}
