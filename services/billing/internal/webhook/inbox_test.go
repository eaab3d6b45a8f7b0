package webhook_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

const secret = "whsec_0123456789abcdef" // not-a-secret

// TestEventsOfTheOtherModeHaveNoEffectAndAreSeen, in both directions.
func TestEventsOfTheOtherModeHaveNoEffectAndAreSeen(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t, "billing", store.Migrate)
	errtest.None(t, webhook.Migrate(t.Context(), url))
	pool, err := pgxpool.New(t.Context(), url)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	for _, live := range []bool{false, true} {
		var logs bytes.Buffer
		log, reg := slog.New(slog.NewTextHandler(&logs, nil)), prometheus.NewRegistry()
		queue, err := webhook.NewQueue(pool, reg, log)
		errtest.None(t, err)
		verifier := stripe.NewVerifier(stripe.Config{WebhookSecrets: config.Secret(secret)})
		inbox := webhook.NewInbox(pool, verifier, queue, clock.System(), webhook.Config{Live: live, Deadline: time.Minute}, log)
		receive := func(body string) error {
			at := time.Now().Unix()
			mac := hmac.New(sha256.New, []byte(secret))
			_, _ = fmt.Fprintf(mac, "%d.%s", at, body)
			return inbox.Receive(t.Context(), []byte(body), fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil))))
		}
		for _, event := range []bool{false, true} {
			id := fmt.Sprintf("evt_%t_%t", live, event)
			body := fmt.Sprintf(`{"id":%q,"object":"event","type":"invoice.paid","livemode":%t,"created":1,"data":{"object":{"id":"in_1"}}}`, id, event)
			errtest.None(t, receive(body))
			want, jobs := "pending", 1
			if live != event {
				want, jobs = "wrong_mode", 0
			}
			var state string
			var queued int
			err := pool.QueryRow(t.Context(), `SELECT state, (SELECT count(*) FROM jobs.river_job WHERE args->>'id' = $1) FROM stripe_events WHERE id = $1`, id).Scan(&state, &queued)
			if err != nil || state != want || queued != jobs {
				t.Errorf("%s: %s with %d jobs, %v; want %s with %d", id, state, queued, err, want, jobs)
			}
		}
		if n := strings.Count(logs.String(), "level=ERROR"); n != 1 {
			t.Errorf("%d errors in the log for one event of the other mode: %s", n, logs.String())
		}
		for name, field := range map[string]string{
			"connected":       `"type":"invoice.paid","livemode":` + strconv.FormatBool(live) + `,"account":"acct_2"`,
			"connected_other": `"type":"invoice.paid","livemode":` + strconv.FormatBool(!live) + `,"account":"acct_2"`,
			"newer":           `"type":"invoice.reconsidered","livemode":` + strconv.FormatBool(live) + `,"account":null,"api_version":"2031-01-01.elm","context":null,"reason":{"novel":[]}`,
		} {
			id := fmt.Sprintf("evt_%t_%s", live, name)
			errtest.None(t, receive(`{"id":"`+id+`","object":"event","created":1,"data":{"object":{"id":"in_1"}},`+field+`}`))
			var state string
			var queued int
			err := pool.QueryRow(t.Context(), `SELECT state, (SELECT count(*) FROM jobs.river_job WHERE args->>'id' = $1) FROM stripe_events WHERE id = $1`, id).Scan(&state, &queued)
			if err != nil || state != "ignored" || queued != 0 {
				t.Errorf("%s: %s with %d jobs, %v; want it ignored", id, state, queued, err)
			}
		}
		if !strings.Contains(logs.String(), "level=ERROR") || !strings.Contains(logs.String(), "wrong mode") {
			t.Errorf("the log does not tell: %s", logs.String())
		}
		for name, tc := range map[string]struct{ body, reason string }{
			"malformed": {`{"id":`, "invalid_event"}, "too_large": {strings.Repeat(" ", webhook.MaxPayload+1), "event_too_large"},
		} {
			if err := receive(tc.body); fault.Of(err).Reason != tc.reason {
				t.Errorf("%s: %v", name, err)
			}
		}
		const metrics = `
# HELP billing_stripe_events_received_total Deliveries of events, by outcome: pending (new, to be applied), duplicate, ignored, foreign (a connected account's, ignored), wrong_mode, refused, malformed, too_large.
# TYPE billing_stripe_events_received_total counter
billing_stripe_events_received_total{outcome="duplicate"} 0
billing_stripe_events_received_total{outcome="foreign"} 2
billing_stripe_events_received_total{outcome="ignored"} 1
billing_stripe_events_received_total{outcome="malformed"} 1
billing_stripe_events_received_total{outcome="pending"} 1
billing_stripe_events_received_total{outcome="refused"} 0
billing_stripe_events_received_total{outcome="too_large"} 1
billing_stripe_events_received_total{outcome="wrong_mode"} 1
`
		if err := testutil.GatherAndCompare(reg, strings.NewReader(metrics), "billing_stripe_events_received_total"); err != nil {
			t.Error(err)
		}
	}
}
