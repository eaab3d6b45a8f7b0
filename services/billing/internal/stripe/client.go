// Package stripe is the part of Stripe that billing uses, API version
// 2026-03-25.dahlia: a client over Stripe's SDK, and the verification of what Stripe
// sends. It returns small types of its own.
package stripe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/prometheus/client_golang/prometheus"
	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/services/platform/fault"
)

// ErrGone means that Stripe itself has said that it knows no such object.
var ErrGone = errors.New("stripe: no such object")

// ErrNoCustomer means that Stripe refuses a request because the customer does not exist,
// for example because it was deleted.
var ErrNoCustomer = errors.New("stripe: no such customer")

// ErrPrice means that Stripe does not sell at a price: it was archived or never was.
var ErrPrice = errors.New("stripe: not for sale")

// ErrRefused means that Stripe will not do what was asked, however often: a setting, a
// permission of the key or an object is not as it must be, and somebody has to look.
var ErrRefused = errors.New("stripe: refused for good")

// ErrElsewhere means that the key is of another account than what the database has of Stripe.
var ErrElsewhere = errors.New("the key is of another account than the database")

// Refused is what people are told then.
var Refused = fault.New(fault.Conflict, "stripe_refused",
	"Our payment provider does not accept this, and trying again will not help. We have been told and will look into it.")

// ErrSpoiled means that Stripe has failed and gives a request's idempotency key the same answer
// for a day. Another key gets another one.
var ErrSpoiled = errors.New("stripe: the key's answer is a failure")

// ErrUnavailable is what people are told while Stripe does not answer, or something has just changed there.
var ErrUnavailable = fault.New(fault.Unavailable, "stripe_unavailable", "Payments are not available right now. Please try again in a moment.").
	RetryAfter(breakerDelay)

const (
	// Budget bounds a call with its retries, and how long a person waits for several.
	Budget = 8 * time.Second

	networkRetries = 2
	// After this many failures in a row no call is made for breakerDelay; then
	// a trial call is made.
	breakerThreshold = 5
	breakerDelay     = 3 * time.Second

	// How long to wait for another replica's identical request, growing.
	firstWait   = 100 * time.Millisecond
	longestWait = time.Second

	// pageSize is the most that Stripe gives at a time.
	pageSize = 100
)

// forPeople are the calls that somebody waits for who wants to buy or change something.
var forPeople = []string{
	"create_customer", "subscriptions", "checkout", "checkouts", "create_checkout", "open_portal", "open_plan_change", "resume_subscription", "release_schedule",
}

// Client asks Stripe. It is safe for concurrent use. Its methods fail with ErrGone,
// ErrRefused or fault.Unavailable.
type Client struct {
	sc       *sdk.Client
	http     *http.Client
	breaker  circuitbreaker.CircuitBreaker[any]
	duration *prometheus.HistogramVec
	standIn  bool
}

// New returns a client that has not connected yet.
func New(cfg Config, reg prometheus.Registerer) (*Client, error) {
	c := &Client{
		http: &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
		}},
		breaker: circuitbreaker.NewBuilder[any]().WithFailureThreshold(breakerThreshold).WithSuccessThreshold(1).WithDelay(breakerDelay).Build(),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "billing_stripe_duration_seconds", Help: "Time that Stripe took, by call and outcome (ok, gone, no_customer, refused, limited, failed, skipped).",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"call", "outcome"}),
	}
	for _, name := range forPeople {
		c.duration.WithLabelValues(name, "refused") // so that the first is an increase
	}
	backend := &sdk.BackendConfig{
		HTTPClient: c.http, MaxNetworkRetries: sdk.Int64(networkRetries), EnableTelemetry: sdk.Bool(false),
		// The SDK would log what Stripe refuses, parameters included.
		LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull},
	}
	if cfg.APIURL != "" {
		c.standIn = true
		backend.URL = sdk.String(strings.TrimRight(cfg.APIURL, "/"))
	}
	c.sc = sdk.NewClient(cfg.SecretKey.Reveal(), sdk.WithBackends(sdk.NewBackendsWithConfig(backend)))
	return c, reg.Register(c.duration)
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call makes a request within the budget and behind the breaker.
func call[T any](ctx context.Context, c *Client, name string, fn func(context.Context) (T, error)) (answer T, err error) {
	if !c.breaker.TryAcquirePermit() {
		c.duration.WithLabelValues(name, "skipped").Observe(0)
		return answer, ErrUnavailable
	}
	ctx, cancel := context.WithTimeout(ctx, Budget)
	defer cancel()
	start := time.Now()
	answer, err = untilFree(ctx, fn)
	outcome := outcomeOf(err)
	c.duration.WithLabelValues(name, outcome).Observe(time.Since(start).Seconds())
	c.record(ctx, outcome)
	switch outcome {
	case "ok":
		return answer, nil
	case "gone":
		return answer, ErrGone
	case "no_customer":
		return answer, ErrUnavailable.Wrap(fmt.Errorf("%w: %w", ErrNoCustomer, err))
	}
	said, ok := errors.AsType[*sdk.Error](err)
	switch {
	case ok && (said.HTTPStatusCode >= http.StatusInternalServerError || said.Type == sdk.ErrorTypeIdempotency):
		return answer, ErrUnavailable.Wrap(fmt.Errorf("%w: %w", ErrSpoiled, err))
	case ok && said.HTTPStatusCode >= http.StatusBadRequest && said.HTTPStatusCode <= http.StatusForbidden:
		return answer, Refused.Wrap(fmt.Errorf("%w: %w", ErrRefused, err))
	}
	return answer, ErrUnavailable.Wrap(err)
}

// record tells the breaker how a call went. One that the caller canceled does not count,
// and leaves a trial undecided: the next is made after another delay.
func (c *Client) record(ctx context.Context, outcome string) {
	switch {
	case outcome != "failed": // whoever limits us is there
		c.breaker.RecordSuccess()
	case !errors.Is(ctx.Err(), context.Canceled) || c.breaker.IsHalfOpen():
		c.breaker.RecordFailure()
	}
}

// untilFree retries a request while Stripe says that one with the same idempotency key is
// still in progress: another replica's, after a double click. Nothing was done then, and
// the retry gets the other request's answer. The SDK gives up instead.
func untilFree[T any](ctx context.Context, fn func(context.Context) (T, error)) (answer T, err error) {
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		answer, err = fn(ctx)
		if said, ok := errors.AsType[*sdk.Error](err); !ok || said.Code != sdk.ErrorCodeIdempotencyKeyInUse && said.Code != sdk.ErrorCodeLockTimeout {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
	}
}

// outcomeOf tells whether Stripe answered, and how.
func outcomeOf(err error) string {
	if err == nil {
		return "ok"
	}
	said, ok := errors.AsType[*sdk.Error](err)
	switch {
	case !ok || said.HTTPStatusCode >= http.StatusInternalServerError || said.HTTPStatusCode == 0:
		return "failed"
	case said.HTTPStatusCode == http.StatusTooManyRequests:
		return "limited"
	case said.Code == sdk.ErrorCodeResourceMissing && said.Param == "customer":
		return "no_customer"
	case said.HTTPStatusCode == http.StatusNotFound && said.Code == sdk.ErrorCodeResourceMissing:
		return "gone"
	default:
		return "refused"
	}
}

// AnotherKey is the idempotency key to use after ErrSpoiled: one for each minute, so that a double click
// and two replicas still make one thing.
func AnotherKey(key string, now time.Time) string {
	return key + "-" + strconv.FormatInt(now.Unix()/60, 10)
}

// RequestID is Stripe's name of the request that has failed, "" without one.
func RequestID(err error) string {
	if said, ok := errors.AsType[*sdk.Error](err); ok {
		return said.RequestID
	}
	return ""
}

// all reads a list, of which it takes at most limit rows; 0 for all.
func all[S, T any](rows sdk.Seq2[*S, error], limit int, convert func(*S) T) (list []T, err error) {
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		if list = append(list, convert(row)); len(list) == limit {
			break
		}
	}
	return list, nil
}

// moment turns Stripe's seconds into a time; 0 into none.
func moment(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
