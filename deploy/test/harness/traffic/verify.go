package traffic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	verifyTimeout = 2 * time.Minute
	verifyEvery   = time.Second
	searchLimit   = 100
)

// NewTransport returns a transport that connects to addr whatever name it is asked
// for, as a front door has many; "" resolves names as usual.
func NewTransport(addr string) *http.Transport {
	t := &http.Transport{MaxIdleConnsPerHost: maxUnderWay, IdleConnTimeout: idleTimeout, ForceAttemptHTTP2: true}
	if addr != "" {
		t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{Timeout: requestTimeout}).DialContext(ctx, network, addr)
		}
	}
	return t
}

// verify looks for everybody who joined, and for the one email of everybody who was
// approved; what is missing after a while is lost.
func (s *sender) verify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	for {
		err := s.look(ctx)
		if err == nil && s.ledger.nothingMissing() {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(verifyEvery):
		}
	}
}

func (s *sender) look(ctx context.Context) error {
	if err := s.admin.Renew(ctx); err != nil {
		return err
	}
	entries, err := s.entries(ctx, s.opts.Mark+"-")
	if err != nil {
		return err
	}
	s.ledger.found(entries)
	for _, email := range s.ledger.withoutEmail() {
		emails, err := s.emails(ctx, email)
		if err != nil {
			return err
		}
		s.ledger.emails(email, emails)
	}
	return nil
}

// entries are the ids of the waitlist by address, of all whose address has text in it.
func (s *sender) entries(ctx context.Context, text string) (map[string]string, error) {
	found := map[string]string{}
	query := url.Values{"search": {text}, "limit": {fmt.Sprint(searchLimit)}}
	for {
		var page struct {
			Data []struct {
				ID    string `json:"id"`
				Email string `json:"email"`
			} `json:"data"`
			NextCursor string `json:"nextCursor"`
		}
		if err := s.admin.Call(ctx, http.MethodGet, "/api/get-waitlist-users?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		for _, entry := range page.Data {
			found[entry.Email] = entry.ID
		}
		if page.NextCursor == "" {
			return found, nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

func (s *sender) emails(ctx context.Context, email string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.opts.Mail+"/messages?to="+url.QueryEscape(email), nil)
	if err != nil {
		return 0, err
	}
	var list struct {
		Messages []json.RawMessage `json:"messages"`
	}
	err = exchange(s.opts.Transport, req, &list)
	return len(list.Messages), err
}

// exchange sends req and decodes the JSON of the answer.
func exchange(through http.RoundTripper, req *http.Request, answer any) error {
	body, err := send(through, req)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, answer)
}

// send sends req, follows nothing, and returns the body of a good answer.
func send(through http.RoundTripper, req *http.Request) ([]byte, error) {
	resp, err := through.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answers %s", resp.Status)
	}
	return body, nil
}
