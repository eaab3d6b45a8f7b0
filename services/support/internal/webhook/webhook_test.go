package webhook

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/ticket"
)

const (
	site    = "https://fledge.example"
	current = "0123456789abcdef0123456789abcdef"
	former  = "fedcba9876543210fedcba9876543210"
)

// stored are calls in memory.
type stored struct {
	clock clock.Clock
	calls []Call
	next  time.Time
	held  time.Time
}

func (s *stored) DueCalls(context.Context) ([]Call, error) {
	if s.next.After(s.clock.Now()) {
		return nil, nil
	}
	return s.calls, nil
}

func (s *stored) EndCall(context.Context, uuid.UUID) error {
	s.calls = s.calls[1:]
	return nil
}

func (s *stored) EndCalls(_ context.Context, before time.Time) error {
	s.calls = slices.DeleteFunc(s.calls, func(c Call) bool { return c.CreatedAt.Before(before) })
	return nil
}

func (s *stored) PutOffCall(_ context.Context, _ uuid.UUID, next, held time.Time) error {
	s.calls[0].Attempts++
	s.next, s.held = next, held
	return nil
}

func (s *stored) OldestCall(context.Context) (time.Time, error) {
	if len(s.calls) == 0 {
		return s.clock.Now(), nil
	}
	return s.calls[0].CreatedAt, nil
}

// rig is a webhook with one call, and what it logs.
type rig struct {
	*Webhook
	stored *stored
	clock  *clock.Fake
	rt     *service.Runtime
	logged *bytes.Buffer
}

func newRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	errtest.None(t, cfg.Validate())
	r := &rig{clock: clock.NewFake(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)), logged: &bytes.Buffer{}}
	r.stored = &stored{clock: r.clock, calls: []Call{aCall(Opened, "It stops", r.clock.Now())}}
	r.rt = service.NewRuntime("support", "test", slog.New(slog.NewTextHandler(r.logged, nil)))
	r.rt.Clock = r.clock
	hook, err := New(cfg, site, r.stored, r.rt)
	errtest.None(t, err)
	r.Webhook = hook
	return r
}

func aCall(kind, subject string, at time.Time) Call {
	return Call{ID: uuid.MustParse("0192f8a0-7a3b-7c1d-9e2f-00112233aabb"), Type: kind, CreatedAt: at, Ticket: ticket.Ticket{
		ID: uuid.MustParse("0192f8a0-7a3b-7c1d-9e2f-00112233aabc"), Number: 123,
		Content: ticket.Content{Category: "feature_request", Priority: ticket.High, Subject: subject},
	}}
}

// counted are the calls by result: sent, failed and given up.
func (r *rig) counted() (counts [3]float64) {
	for i, result := range []string{"sent", "failed", "given_up"} {
		counts[i] = testutil.ToFloat64(r.made.WithLabelValues(result))
	}
	return counts
}

func TestSlackGetsALineThatNobodyCanMakeALinkOf(t *testing.T) {
	const link = "https://fledge.example/admin?tab=tickets\\u0026ticket=0192f8a0-7a3b-7c1d-9e2f-00112233aabc"
	for _, c := range []struct{ kind, subject, want string }{
		{Opened, "", `New ticket \u003c` + link + `|TKT-000123\u003e (feature request, priority high)`},
		{Replied, `A "quote"`, `New message in \u003c` + link + `|TKT-000123\u003e: A \"quote\" (feature request, priority high)`},
		{Opened, "<!channel> & <http://evil.example|here>", `New ticket \u003c` + link + `|TKT-000123\u003e: \u0026lt;!channel\u0026gt; \u0026amp; \u0026lt;http://evil.example|here\u0026gt; (feature request, priority high)`},
	} {
		got, err := encode(Slack, aCall(c.kind, c.subject, time.Now()), site)
		if want := `{"text":"` + c.want + `","unfurl_links":false,"unfurl_media":false}`; err != nil || got != want {
			t.Errorf("%s %q: %s, %v, want %s", c.kind, c.subject, got, err, want)
		}
	}
}

func TestJSONSaysWhatTheReadmeDoes(t *testing.T) {
	at := time.Date(2026, 3, 4, 6, 6, 7, 0, time.FixedZone("CET", 3600))
	got, err := encode(JSON, aCall(Replied, "It stops", at), site)
	want := `{"id":"0192f8a0-7a3b-7c1d-9e2f-00112233aabb","type":"ticket.replied","created_at":"2026-03-04T05:06:07Z","ticket":{"id":"0192f8a0-7a3b-7c1d-9e2f-00112233aabc","number":"TKT-000123",` +
		`"subject":"It stops","category":"feature_request","priority":"high","url":"https://fledge.example/admin?tab=tickets\u0026ticket=0192f8a0-7a3b-7c1d-9e2f-00112233aabc"}}`
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// TestTheSignature is the one that OpenSSL makes, for each secret in turn.
func TestTheSignature(t *testing.T) {
	at := time.Unix(1772600767, 500)
	// printf %s '1772600767.{"a":1}' | openssl dgst -sha256 -hmac SECRET
	const byCurrent, byFormer = "25f61d2a367d9326b96bd0cd1b1ed3a87b344141215a4bae21b3ecbe7176e5e5", "df6afed825ac5a9b8c24987cf55195097baa7b83b694bbc9c843108899547de4"
	if got := sign(current, at, `{"a":1}`); got != "t=1772600767,v1="+byCurrent {
		t.Errorf("signed %s", got)
	}
	if got := sign(current+", "+former, at, `{"a":1}`); got != "t=1772600767,v1="+byCurrent+",v1="+byFormer {
		t.Errorf("with two secrets signed %s", got)
	}
}

// TestOnlyWhoHasASecretIsSigned, and what is posted has its id.
func TestOnlyWhoHasASecretIsSigned(t *testing.T) {
	for _, secret := range []config.Secret{"", current} {
		var header http.Header
		var body string
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			raw, _ := io.ReadAll(req.Body)
			header, body = req.Header, string(raw)
		}))
		r := newRig(t, Config{URL: config.Secret(server.URL), Format: Slack, Secret: secret})
		errtest.None(t, r.Run(t.Context()))
		server.Close()
		want := ""
		if secret != "" {
			want = sign(secret, r.clock.Now(), body)
		}
		if got := header.Get("Fledge-Signature"); got != want {
			t.Errorf("signed %q, want %q", got, want)
		}
		if header.Get("Fledge-Webhook-Id") != "0192f8a0-7a3b-7c1d-9e2f-00112233aabb" || header.Get("Content-Type") != "application/json" {
			t.Errorf("the header is %v", header)
		}
		if r.counted() != [3]float64{1, 0, 0} || len(r.stored.calls) != 0 {
			t.Errorf("counted %v, %d are left", r.counted(), len(r.stored.calls))
		}
	}
}

// TestACallIsGivenUpAfterADay of growing pauses, and said to be.
func TestACallIsGivenUpAfterADay(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	r := newRig(t, Config{URL: config.Secret(server.URL + "/a-secret-path"), Format: JSON, Secret: current})
	began := r.clock.Now()
	var pauses []time.Duration
	for len(r.stored.calls) > 0 {
		errtest.None(t, r.Run(t.Context()))
		pause := r.stored.next.Sub(r.clock.Now())
		pauses = append(pauses, pause)
		r.clock.Advance(pause)
		if len(pauses) > 100 {
			t.Fatal("it is never given up")
		}
		if len(r.stored.calls) > 0 && r.clock.Now().Sub(began) == 35*time.Second {
			const want = "# HELP support_webhook_oldest_seconds Age of the oldest call that the webhook has not taken; 0 without one.\n# TYPE support_webhook_oldest_seconds gauge\nsupport_webhook_oldest_seconds 35\n"
			if err := testutil.GatherAndCompare(r.rt.Metrics, strings.NewReader(want), "support_webhook_oldest_seconds"); err != nil {
				t.Error(err)
			}
		}
	}
	if pauses[0] != 5*time.Second || pauses[1] != 10*time.Second || pauses[len(pauses)-2] != time.Hour {
		t.Errorf("the pauses are %v", pauses)
	}
	if took := r.clock.Now().Sub(began); took < 24*time.Hour || took > 25*time.Hour {
		t.Errorf("given up after %s", took)
	}
	if got := r.counted(); got != [3]float64{0, float64(len(pauses) - 1), 1} {
		t.Errorf("counted %v of %d calls", got, len(pauses))
	}
	if log := r.logged.String(); strings.Count(log, "the webhook was not told of a ticket") != 1 || !strings.Contains(log, "webhook: status 404") {
		t.Errorf("logged %s", log)
	}
}

// TestWhoAsksForAPauseGetsIt, for all calls.
func TestWhoAsksForAPauseGetsIt(t *testing.T) {
	for value, want := range map[string]struct{ next, held time.Duration }{
		"":                              {5 * time.Second, 0},
		"30":                            {30 * time.Second, 30 * time.Second},
		"1":                             {5 * time.Second, time.Second},
		"Wed, 04 Mar 2026 05:08:07 GMT": {2 * time.Minute, 2 * time.Minute},
		"Wed, 04 Mar 2026 05:00:00 GMT": {5 * time.Second, 0},
		"86400":                         {time.Hour, time.Hour},
		"soon":                          {5 * time.Second, 0},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", "Wed, 04 Mar 2026 05:06:07 GMT")
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		r := newRig(t, Config{URL: config.Secret(server.URL), Format: Slack})
		errtest.None(t, r.Run(t.Context()))
		server.Close()
		var held time.Duration
		if !r.stored.held.IsZero() {
			held = r.stored.held.Sub(r.clock.Now())
		}
		if next := r.stored.next.Sub(r.clock.Now()); next != want.next || held != want.held {
			t.Errorf("%q: the next call is after %s, all after %s, want %v", value, next, held, want)
		}
	}
}

// TestTheLogSaysWhy a call was refused, where the answer is a word of Slack's.
func TestTheLogSaysWhy(t *testing.T) {
	for answer, want := range map[string]string{
		"channel_is_archived\n": `"webhook: status 410 channel_is_archived"`, "": `"webhook: status 410"`, "Cannot POST /a-secret-path": `"webhook: status 410"`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusGone)
			_, _ = io.WriteString(w, answer)
		}))
		r := newRig(t, Config{URL: config.Secret(server.URL + "/a-secret-path"), Format: Slack})
		errtest.None(t, r.Run(t.Context()))
		server.Close()
		if log := r.logged.String(); !strings.Contains(log, "error="+want) || strings.Contains(log, "a-secret-path") {
			t.Errorf("%q: logged %s", answer, log)
		}
	}
}

// TestAnOldCallIsNotMade: the process may have been away for days.
func TestAnOldCallIsNotMade(t *testing.T) {
	var told []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		told = append(told, string(body))
	}))
	defer server.Close()
	r := newRig(t, Config{URL: config.Secret(server.URL), Format: JSON, Secret: current})
	r.clock.Advance(24 * time.Hour)
	r.stored.calls = append(r.stored.calls, aCall(Replied, "It stops", r.clock.Now()))
	errtest.None(t, r.Run(t.Context()))
	if len(told) != 1 || !strings.Contains(told[0], Replied) || len(r.stored.calls) != 0 {
		t.Errorf("told %q, %d calls are left", told, len(r.stored.calls))
	}
	if got := r.counted(); got != [3]float64{1, 0, 1} {
		t.Errorf("counted %v", got)
	}
}

// TestWithoutAURLNoCallsAreLeft to grow old, and none counts as given up. A replica that has the URL
// already keeps its own during a rollout.
func TestWithoutAURLNoCallsAreLeft(t *testing.T) {
	r := newRig(t, Config{Format: JSON})
	if err := r.Task().Run(t.Context()); err != nil || len(r.stored.calls) == 0 {
		t.Fatalf("%d calls are left of a rollout, %v", len(r.stored.calls), err)
	}
	r.clock.Advance(time.Hour)
	errtest.None(t, r.Task().Run(t.Context()))
	if len(r.stored.calls) != 0 || r.counted() != [3]float64{} {
		t.Errorf("%d calls are left, counted %v", len(r.stored.calls), r.counted())
	}
}

// TestARedirectIsNotFollowed: it may lead inside. The URL is a secret, of which no log tells.
func TestARedirectIsNotFollowed(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer inside.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusSeeOther, http.StatusTemporaryRedirect} {
		server := httptest.NewServer(http.RedirectHandler(inside.URL, status))
		r := newRig(t, Config{URL: config.Secret(server.URL + "/a-secret-path"), Format: JSON, Secret: current})
		errtest.None(t, r.Run(t.Context()))
		server.Close()
		r.clock.Advance(time.Minute)
		if err := r.Run(t.Context()); err != nil { // nobody listens
			t.Fatal(err)
		}
		if got := r.counted(); got != [3]float64{0, 2, 0} {
			t.Errorf("%d: counted %v", status, got)
		}
		if strings.Contains(r.logged.String(), "a-secret-path") {
			t.Errorf("logged %s", r.logged)
		}
	}
}

func TestTheSettings(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Format: JSON}, ""},
		{Config{Format: "teams"}, "TICKET_WEBHOOK_FORMAT must be json or slack"},
		{Config{Format: Slack, URL: "https://hooks.example/x"}, ""},
		{Config{Format: JSON, URL: "https://hooks.example/x", Secret: current}, ""},
		{Config{Format: JSON, URL: "https://hooks.example/x", Secret: current + "," + former}, ""},
		{Config{Format: JSON, URL: "http://127.0.0.1:8080/x", Secret: current}, ""},
		{Config{Format: JSON, URL: "http://[::1]:8080/x", Secret: current}, ""},
		{Config{Format: JSON, URL: "http://hooks.example/x", Secret: current}, "TICKET_WEBHOOK_URL must be https"},
		{Config{Format: JSON, URL: "http://10.0.0.1/x", Secret: current}, "TICKET_WEBHOOK_URL must be https"},
		{Config{Format: JSON, URL: "http://127.0.0.1.hooks.example/x", Secret: current}, "TICKET_WEBHOOK_URL must be https"},
		{Config{Format: JSON, URL: "https://me@hooks.example/x", Secret: current}, "TICKET_WEBHOOK_URL must be https, without a user"},
		{Config{Format: JSON, URL: "https:///x", Secret: current}, "TICKET_WEBHOOK_URL must be https"},
		{Config{Format: JSON, URL: "file:///etc/passwd", Secret: current}, "TICKET_WEBHOOK_URL must be https"},
		{Config{Format: JSON, URL: "://", Secret: current}, "TICKET_WEBHOOK_URL must be https"},
		{Config{Format: JSON, URL: "https://hooks.example/x"}, "TICKET_WEBHOOK_SECRET is missing"},
		{Config{Format: JSON, URL: "https://hooks.example/x", Secret: "short"}, "TICKET_WEBHOOK_SECRET must be of 32 bytes or more"},
		{Config{Format: Slack, URL: "https://hooks.example/x", Secret: current + ",short"}, "TICKET_WEBHOOK_SECRET must be of 32 bytes or more"},
	} {
		err := c.cfg.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.cfg.Format, c.cfg.URL.Reveal(), err, c.want)
		}
	}
}
