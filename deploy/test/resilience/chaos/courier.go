package chaos

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"fledge.dev/deploy/local/procs"
)

// courier stands between Stripe and the gateway. It passes deliveries on and notes
// those that were acknowledged: from then on Stripe forgets them.
type courier struct {
	to     string
	client *http.Client
	acked  *procs.Ledger

	mu      sync.Mutex
	times   []time.Time // of acknowledgements
	took    []time.Duration
	refused int
}

func newCourier() *courier {
	return &courier{
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		acked:  procs.NewLedger(),
	}
}

func (c *courier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var event struct{ ID string }
	_ = json.Unmarshal(body, &event) // what is no event is not acknowledged
	status, took := c.pass(r, body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if status == http.StatusOK {
		c.acked.Acknowledged(event.ID)
		c.times = append(c.times, time.Now())
		c.took = append(c.took, took)
	} else {
		c.refused++
	}
	w.WriteHeader(status)
}

func (c *courier) pass(r *http.Request, body []byte) (status int, took time.Duration) {
	began := time.Now()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, c.to, bytes.NewReader(body))
	if err != nil {
		return http.StatusBadGateway, 0
	}
	req.Header.Set("Content-Type", r.Header.Get("Content-Type"))
	req.Header.Set("Stripe-Signature", r.Header.Get("Stripe-Signature"))
	resp, err := c.client.Do(req)
	if err != nil {
		return http.StatusBadGateway, 0
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return http.StatusBadGateway, 0
	}
	return resp.StatusCode, time.Since(began)
}

// figures are the acknowledgements so far; took is in order of size.
func (c *courier) figures() (times []time.Time, took []time.Duration, refused int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	took = slices.Sorted(slices.Values(c.took))
	return slices.Clone(c.times), took, c.refused
}
