package product

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// chains trades refresh tokens: each gives the next, so no two clients may have the
// same. wrk does not know which of its connections an answer belongs to.
type chains struct {
	url    string
	client *http.Client
	tokens []string
}

func newChains(gateway string, tokens []string) *chains {
	transport := &http.Transport{MaxIdleConnsPerHost: len(tokens), MaxConnsPerHost: len(tokens)}
	return &chains{url: gateway + "/api/auth/token", client: &http.Client{Transport: transport, Timeout: 10 * time.Second}, tokens: tokens}
}

func (c *chains) load(name string) Load {
	return Load{Name: name, Run: func(ctx context.Context, length time.Duration) (Sample, error) {
		times := make([][]time.Duration, len(c.tokens))
		failures := make([]error, len(c.tokens))
		began := time.Now()
		var wg sync.WaitGroup
		for i := range c.tokens {
			wg.Go(func() {
				for time.Since(began) < length && failures[i] == nil {
					asked := time.Now()
					failures[i] = c.next(ctx, &c.tokens[i])
					times[i] = append(times[i], time.Since(asked))
				}
			})
		}
		wg.Wait()
		took := time.Since(began)
		var all []time.Duration
		for i, list := range times {
			if failures[i] != nil {
				return Sample{}, failures[i] // without its token a chain cannot go on
			}
			all = append(all, list...)
		}
		s := Sample{PerSecond: float64(len(all)) / took.Seconds()}
		s.P50, s.P99 = percentiles(all)
		return s, nil
	}}
}

func (c *chains) next(ctx context.Context, token *string) error {
	body := fmt.Appendf(nil, `{"grant_type":"refresh_token","refresh_token":%q}`, *token)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var session struct {
		RefreshToken string `json:"refresh_token"`
	}
	if err := json.Unmarshal(answer, &session); err != nil || resp.StatusCode != http.StatusOK || session.RefreshToken == "" {
		return fmt.Errorf("a refresh token is answered %s: %s", resp.Status, answer)
	}
	*token = session.RefreshToken
	return nil
}
