package billing

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

const (
	eventsPerSecond = 100
	wanted          = 200 * time.Millisecond // p99
	// A machine whose plain INSERT takes longer has no figures to give.
	overloaded = 50 * time.Millisecond
	buyers     = 10
)

// bench is the whole product as processes, with people who have a plan.
type bench struct {
	*testing.B
	product       *stack.Stack
	database      *pgxpool.Pool
	client        *http.Client
	people        []*person.Person
	subscriptions []string
	delivered     atomic.Int64
}

func newBench(b *testing.B) *bench {
	opts := stacktest.Options(b, stack.Processes)
	opts.Settings = map[string][]string{"gateway": stacktest.NoLimits()}
	r := &bench{B: b, product: stacktest.Start(b, opts), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}}
	var err error
	if r.database, err = pgxpool.New(b.Context(), r.product.DatabaseURL("billing")); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(r.database.Close)
	b.Cleanup(r.client.CloseIdleConnections)
	urls := r.product.URLs()
	for n := range buyers {
		p := person.New(urls.Site)
		errtest.None(b, p.SignIn(b.Context(), fmt.Sprintf("buyer-%d@fledge.test", n)))
		errtest.None(b, stacktest.Buy(b.Context(), p, urls.Site, urls.Stripe))
		r.people = append(r.people, p)
	}
	r.settled()
	rows, _ := r.database.Query(b.Context(), "SELECT id FROM subscriptions")
	for rows.Next() {
		var id string
		errtest.None(b, rows.Scan(&id))
		r.subscriptions = append(r.subscriptions, id)
	}
	if err := rows.Err(); err != nil || len(r.subscriptions) != buyers {
		b.Fatalf("%d subscriptions, %v", len(r.subscriptions), err)
	}
	return r
}

// settled waits until nothing is to be applied.
func (r *bench) settled() {
	waittest.Eventually(r, "every event is applied", func() bool {
		var subscriptions, pending int
		err := r.database.QueryRow(r.Context(), `SELECT (SELECT count(*) FROM subscriptions), (SELECT count(*) FROM stripe_events WHERE state = 'pending')`).
			Scan(&subscriptions, &pending)
		return err == nil && subscriptions == buyers && pending == 0
	})
}

// deliver sends an event about a subscription as Stripe does, and returns how long
// after a moment it was acknowledged.
func (r *bench) deliver(from time.Time) time.Duration {
	n := r.delivered.Add(1)
	padding := strings.Repeat("x", 3<<10) // an invoice's event is about as large
	body := fmt.Sprintf(`{"id":"evt_bench_%d","object":"event","type":"customer.subscription.updated","livemode":false,"created":%d,
		"data":{"object":{"id":%q,"object":"subscription","description":%q}}}`, n, from.Unix(), r.subscriptions[int(n)%buyers], padding)
	at := time.Now().Unix()
	mac := hmac.New(sha256.New, []byte(stripe.WebhookSecret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at, body)
	req, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), http.MethodPost, r.product.GatewayURL()+stack.StripeWebhook, strings.NewReader(body))
	if err != nil {
		r.Error(err)
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil))))
	resp, err := r.client.Do(req)
	if err != nil {
		r.Error(err)
		return 0
	}
	answer, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		r.Errorf("answer %s: %s", resp.Status, bytes.TrimSpace(answer))
	}
	return time.Since(from)
}

// openLoop begins work at a fixed rate, whether or not earlier work has ended, and
// returns how long it took, in order of size. It counts from when work was due.
func openLoop(n int, works ...func(due time.Time) time.Duration) [][]time.Duration {
	took := make([][]time.Duration, len(works))
	for i := range took {
		took[i] = make([]time.Duration, n)
	}
	var wg sync.WaitGroup
	began := time.Now()
	for i := range n {
		due := began.Add(time.Duration(i) * time.Second / eventsPerSecond)
		<-time.After(time.Until(due))
		for k, work := range works {
			wg.Go(func() { took[k][i] = work(due) })
		}
	}
	wg.Wait()
	for _, list := range took {
		slices.Sort(list)
	}
	return took
}

// percentile is of times that no load generator sees: events that are signed here, and rows inserted in the same
// instants. Reports of go's benchmarks have means only.
func percentile(sorted []time.Duration, p int) time.Duration { return sorted[(len(sorted)-1)*p/100] }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// control talks to the stand-in for Stripe.
func (r *bench) control(method, path string, body, answer any) {
	r.Helper()
	errtest.None(r, person.New(r.product.URLs().Stripe).Call(r.Context(), method, "/control/"+path, body, answer))
}

// BenchmarkBilling measures billing behind the gateway.
//
// Stripe's events come at 100 a second, whatever becomes of those before, while
// their jobs ask Stripe and apply them. A row of the same size is inserted beside
// each, so that the ratio tells about billing and not about the machine. Before
// that, Stripe's API is silent: every event is acknowledged although nobody who
// asks Stripe has got an answer.
func BenchmarkBilling(b *testing.B) {
	r := newBench(b)
	b.Run("webhook", func(b *testing.B) {
		r.B = b
		r.control(http.MethodDelete, "calls", nil, nil)
		r.control(http.MethodPut, "fault", stripe.Fault{DelayMillis: 600_000}, nil)
		silent := openLoop(3*eventsPerSecond, r.deliver)[0]
		var log struct{ Calls []stripe.Call }
		r.control(http.MethodGet, "calls", nil, &log)
		for _, call := range log.Calls {
			if call.Status != 0 {
				b.Errorf("%s was answered: Stripe is not silent", call.Route)
			}
		}
		r.control(http.MethodPut, "fault", stripe.Fault{}, nil)
		r.settled()

		if _, err := r.database.Exec(b.Context(), `CREATE TABLE plain (LIKE stripe_events INCLUDING ALL)`); err != nil {
			b.Fatal(err)
		}
		var inserted atomic.Int64
		took := openLoop(10*eventsPerSecond, r.deliver, func(due time.Time) time.Duration {
			_, err := r.database.Exec(context.WithoutCancel(b.Context()), `INSERT INTO plain (id, type, object, livemode, created_at, received_at, state)
				VALUES ($1, 'customer.subscription.updated', $2, false, now(), now(), 'pending')`,
				fmt.Sprintf("evt_plain_%d", inserted.Add(1)), r.subscriptions[0])
			if err != nil {
				b.Error(err)
			}
			return time.Since(due)
		})
		webhook, plain := took[0], took[1]
		if percentile(webhook, 99) > wanted && percentile(plain, 99) < overloaded {
			b.Errorf("p99 is %s, want %s", percentile(webhook, 99), wanted)
		}
		b.ReportMetric(milliseconds(percentile(webhook, 50)), "ms-median")
		b.ReportMetric(milliseconds(percentile(webhook, 99)), "ms-p99")
		b.ReportMetric(milliseconds(percentile(silent, 99)), "ms-p99-Stripe-silent")
		b.ReportMetric(milliseconds(percentile(plain, 50)), "ms-INSERT-median")
		b.ReportMetric(milliseconds(percentile(plain, 99)), "ms-INSERT-p99")
		b.ReportMetric(float64(percentile(webhook, 50))/float64(percentile(plain, 50)), "webhook/INSERT")
		b.ReportMetric(0, "ns/op")
		r.settled()
	})
	for _, path := range []string{"/api/get-credit-balance", "/api/get-subscription"} {
		b.Run("read="+path, func(b *testing.B) {
			var mu sync.Mutex
			var took []time.Duration
			var next atomic.Int64
			b.SetParallelism(8)
			b.ResetTimer()
			began := time.Now()
			b.RunParallel(func(pb *testing.PB) {
				p := r.people[int(next.Add(1))%buyers]
				var mine []time.Duration
				for pb.Next() {
					asked := time.Now()
					if err := p.Call(b.Context(), http.MethodGet, path, nil, nil); err != nil {
						b.Error(err)
						return
					}
					mine = append(mine, time.Since(asked))
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, mine...)
			})
			slices.Sort(took)
			b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "reads/s")
			b.ReportMetric(milliseconds(percentile(took, 50)), "ms-median")
			b.ReportMetric(milliseconds(percentile(took, 99)), "ms-p99")
		})
	}
}
