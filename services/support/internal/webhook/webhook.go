// Package webhook tells another program, such as a chat, of tickets and of what customers write: one call for each new
// ticket and each message, with the ticket's number, subject and link.
//
// A call is made again, with growing pauses, until an answer is 2xx or it is a day old. One whose
// answer was lost is repeated with the same id.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/outside"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/retryafter"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/ticket"
)

// What a call may tell.
const (
	Opened  = "ticket.opened"
	Replied = "ticket.replied"
)

const (
	// every is the pause between two looks at what is due.
	every = 2 * time.Second
	// everyOff is that pause while there is nobody to call.
	everyOff = time.Minute
	// timeout bounds one call.
	timeout = 10 * time.Second
	// rollout is longer than replicas with a URL and without one run beside each other.
	rollout = 10 * time.Minute
	// giveUpAfter is how long a call is tried.
	giveUpAfter = 24 * time.Hour
	// longestPause is between two tries.
	longestPause = time.Hour
	// maxAnswer is how much of an answer is read, so that the connection can be used again.
	maxAnswer = 64 << 10
)

// Call is what is to be told.
type Call struct {
	ID uuid.UUID
	// Type is Opened or Replied.
	Type      string
	CreatedAt time.Time
	// Attempts are those before.
	Attempts int
	// Ticket has its id, number, subject, category and priority.
	Ticket ticket.Ticket
}

// Calls are stored.
type Calls interface {
	// DueCalls returns some that are due, the longest first.
	DueCalls(ctx context.Context) ([]Call, error)
	// EndCall forgets a call.
	EndCall(ctx context.Context, id uuid.UUID) error
	// EndCalls forgets all calls that are older than that.
	EndCalls(ctx context.Context, before time.Time) error
	// PutOffCall counts an attempt and has the next one at that time. Until held, if that is not the zero time and not
	// after next, no call is due, nor one that is stored meanwhile.
	PutOffCall(ctx context.Context, id uuid.UUID, next, held time.Time) error
	// OldestCall is when the oldest was stored; now without one.
	OldestCall(ctx context.Context) (time.Time, error)
}

// Webhook makes the calls.
type Webhook struct {
	cfg    Config
	site   string
	calls  Calls
	clock  clock.Clock
	log    *slog.Logger
	client *http.Client
	made   *prometheus.CounterVec
}

// New returns a webhook for the site with that origin. It calls nobody before its task runs.
func New(cfg Config, siteOrigin string, calls Calls, rt *service.Runtime) (*Webhook, error) {
	w := &Webhook{
		cfg: cfg, site: siteOrigin, calls: calls, clock: rt.Clock, log: rt.Log.With("unit", "ticket webhook"),
		client: outside.Client(timeout),
		made: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "support_webhook_calls_total", Help: "Calls of the webhook, by result: sent, failed (tried again later) or given_up.",
		}, []string{"result"}),
	}
	for _, result := range []string{"sent", "failed", "given_up"} {
		w.made.WithLabelValues(result)
	}
	return w, errors.Join(rt.Metrics.Register(w.made), w.oldest().Register(rt.Metrics))
}

func (w *Webhook) oldest() obs.ScrapeGauge {
	return obs.ScrapeGauge{
		Name: "support_webhook_oldest_seconds", Help: "Age of the oldest call that the webhook has not taken; 0 without one.",
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			at, err := w.calls.OldestCall(ctx)
			return []obs.Sample{{Value: max(0, w.clock.Now().Sub(at).Seconds())}}, err
		},
	}
}

// Task makes the calls that are due. Without a URL it ends those that are left from before.
func (w *Webhook) Task() periodic.Task {
	task := periodic.Task{Name: "ticket_webhook", Every: every, Timeout: 5 * time.Minute, Exclusive: true, Run: w.Run}
	if !w.cfg.On() {
		task.Every, task.Run = everyOff, func(ctx context.Context) error { return w.calls.EndCalls(ctx, w.clock.Now().Add(-rollout)) }
	}
	return task
}

// Run makes the calls that are due, until one fails: the others would, too.
func (w *Webhook) Run(ctx context.Context) error {
	for {
		due, err := w.calls.DueCalls(ctx)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, call := range due {
			if w.clock.Now().Sub(call.CreatedAt) >= giveUpAfter {
				if err := w.giveUp(ctx, call); err != nil {
					return err
				}
				continue
			}
			failure := w.post(ctx, call)
			if failure == nil {
				w.made.WithLabelValues("sent").Inc()
				if err := w.calls.EndCall(ctx, call.ID); err != nil {
					return err
				}
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return w.failed(ctx, call, failure)
		}
	}
}

// giveUp ends a call that is too old to be of use. Why each try failed was logged then; without a try, the
// service was away.
func (w *Webhook) giveUp(ctx context.Context, call Call) error {
	w.made.WithLabelValues("given_up").Inc()
	w.log.ErrorContext(ctx, "the webhook was not told of a ticket", "ticket", call.Ticket.Label(), "type", call.Type, "attempts", call.Attempts)
	return w.calls.EndCall(ctx, call.ID)
}

func (w *Webhook) failed(ctx context.Context, call Call, failure error) error {
	w.made.WithLabelValues("failed").Inc()
	w.log.WarnContext(ctx, "the webhook has not taken a call and will be called again", "ticket", call.Ticket.Label(), "attempts", call.Attempts+1, "error", failure)
	now, wait := w.clock.Now(), pause(call.Attempts)
	var held time.Time
	if refused, ok := errors.AsType[*refusal](failure); ok && refused.retryAfter > 0 {
		wait, held = max(wait, refused.retryAfter), now.Add(refused.retryAfter)
	}
	return w.calls.PutOffCall(ctx, call.ID, now.Add(wait), held)
}

// refusal is an answer that is not 2xx.
type refusal struct {
	status int
	// code is why, such as Slack's channel_is_archived; "" for an answer that is not of such a word alone. Other texts may
	// have the URL in them, which is a secret.
	code string
	// retryAfter is how long no call is wanted; 0 if the answer does not say.
	retryAfter time.Duration
}

func (r *refusal) Error() string {
	return strings.TrimSpace(fmt.Sprintf("webhook: status %d %s", r.status, r.code))
}

var codeForm = regexp.MustCompile(`^[a-z_]{1,40}$`)

// pause is 5 s, 10 s, 20 s … up to longestPause.
func pause(attempts int) time.Duration {
	return min(longestPause, 5*time.Second<<min(attempts, 10))
}

func (w *Webhook) post(ctx context.Context, call Call) error {
	body, err := encode(w.cfg.Format, call, w.site)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.cfg.URL.Reveal(), strings.NewReader(body))
	if err != nil {
		return errors.New("webhook: the URL cannot be called")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Fledge-Webhook/1")
	req.Header.Set("Fledge-Webhook-Id", call.ID.String())
	if w.cfg.Secret != "" {
		req.Header.Set("Fledge-Signature", sign(w.cfg.Secret, w.clock.Now(), body))
	}
	resp, err := w.client.Do(req)
	if err != nil {
		// Its text has the URL, which is a secret.
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("webhook: %w", err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // what there is of it tells enough
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		wait, _ := retryafter.Of(resp, w.clock.Now(), longestPause)
		return &refusal{status: resp.StatusCode, code: codeForm.FindString(strings.TrimSpace(string(answer))), retryAfter: wait}
	}
	return nil
}

// sign is "t=<Unix seconds>" and, for each secret, "v1=<hex of HMAC-SHA256 of the seconds, a dot and the body>".
func sign(secrets config.Secret, at time.Time, body string) string {
	seconds := fmt.Sprint(at.Unix())
	header := "t=" + seconds
	for _, secret := range secrets.Split() {
		mac := hmac.New(sha256.New, secret)
		_, _ = io.WriteString(mac, seconds+"."+body)
		header += ",v1=" + hex.EncodeToString(mac.Sum(nil))
	}
	return header
}
