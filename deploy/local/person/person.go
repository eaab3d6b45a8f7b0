// Package person is a user without a browser: it signs in at the local identity provider
// as a browser does, and calls the API.
package person

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"sync"
	"time"
)

const (
	timeout   = 20 * time.Second
	maxAnswer = 1 << 20
)

// Person has a cookie jar and, once signed in, an access token.
type Person struct {
	site   string
	client *http.Client

	mu    sync.Mutex
	token string
	id    string
}

// New returns an anonymous visitor of the site at an origin.
func New(origin string) *Person { return NewThrough(origin, nil) }

// NewThrough returns one whose requests a transport carries; nil is the usual one.
func NewThrough(origin string, transport http.RoundTripper) *Person {
	jar, _ := cookiejar.New(nil) // cannot fail without options
	return &Person{site: origin, client: &http.Client{Jar: jar, Timeout: timeout, Transport: transport}}
}

// ID is the account of whoever signed in, "" before.
func (p *Person) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

// Site is the origin of the site that the person uses.
func (p *Person) Site() string { return p.site }

// Token is the access token, "" before.
func (p *Person) Token() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token
}

// The fields of the stand-ins' forms. Each page for the choice of an account carries the request
// that it is about.
var (
	requestField = regexp.MustCompile(`name="request" value="([^"]+)"`)
	answerForm   = regexp.MustCompile(`<form id="answer" method="post" action="([^"]+)">`)
	answerField  = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]+)">`)
)

// SignIn goes through Google's stand-in as whoever has the address.
func (p *Person) SignIn(ctx context.Context, email string) error {
	return p.signIn(ctx, "google", email)
}

// SignInWithApple goes through Apple's.
func (p *Person) SignInWithApple(ctx context.Context, email string) error {
	return p.signIn(ctx, "apple", email)
}

func (p *Person) signIn(ctx context.Context, provider, email string) error {
	return p.start(ctx, provider, map[string]string{"return_to": "/auth/callback"}, email)
}

// LinkGoogle adds a Google account to the account of whoever has just signed in.
func (p *Person) LinkGoogle(ctx context.Context, email string) error {
	return p.start(ctx, "google?link=true", map[string]string{"return_to": "/auth/callback?redirect=%2Fprofile%23sign-in-methods", "user_id": p.ID()}, email)
}

// start goes to the provider and comes back with a session.
func (p *Person) start(ctx context.Context, provider string, how map[string]string, email string) error {
	var start struct {
		URL string `json:"url"`
	}
	if err := p.Call(ctx, http.MethodPost, "/api/auth/signin/"+provider, how, &start); err != nil {
		return fmt.Errorf("sign in: start: %w", err)
	}
	page, body, err := p.fetch(ctx, http.MethodGet, start.URL, nil)
	if err != nil {
		return fmt.Errorf("sign in: provider: %w", err)
	}
	if page.Scheme+"://"+page.Host == p.site { // an earlier try has got as far as Kratos' session
		return p.Renew(ctx)
	}
	request := requestField.FindSubmatch(body)
	if request == nil {
		return fmt.Errorf("sign in: %s is not the provider's page", page.Path)
	}
	form := url.Values{"request": {html.UnescapeString(string(request[1]))}, "email": {email}}
	_, body, err = p.fetch(ctx, http.MethodPost, page.ResolveReference(&url.URL{Path: "accounts"}).String(), form)
	if err != nil {
		return fmt.Errorf("sign in: choose the account: %w", err)
	}
	if action := answerForm.FindSubmatch(body); action != nil { // Apple answers by a form that the browser posts
		answer := url.Values{}
		for _, field := range answerField.FindAllSubmatch(body, -1) {
			answer.Set(html.UnescapeString(string(field[1])), html.UnescapeString(string(field[2])))
		}
		if _, _, err := p.fetch(ctx, http.MethodPost, html.UnescapeString(string(action[1])), answer); err != nil {
			return fmt.Errorf("sign in: Apple's answer: %w", err)
		}
	}
	if err := p.Renew(ctx); err != nil {
		return fmt.Errorf("sign in: session: %w", err)
	}
	return nil
}

// Renew takes a new access token for the session, before the old one expires. Calls
// may run meanwhile.
func (p *Person) Renew(ctx context.Context) error {
	var session struct {
		AccessToken string `json:"access_token"`
		User        struct {
			ID string `json:"id"`
		} `json:"user"`
	}
	if err := p.Call(ctx, http.MethodGet, "/api/auth/session", nil, &session); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token, p.id = session.AccessToken, session.User.ID
	return nil
}

// fetch sends what a browser would, follows redirects, and returns where that
// led and what is there.
func (p *Person) fetch(ctx context.Context, method, address string, form url.Values) (*url.URL, []byte, error) {
	var body io.Reader
	if form != nil {
		body = bytes.NewBufferString(form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, nil, err
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, nil, fmt.Errorf("%s answers %s", resp.Request.URL.Path, resp.Status)
	}
	return resp.Request.URL, content, nil
}

// APIError is an answer other than 2xx.
type APIError struct {
	Status  int
	Message string `json:"error"`
	Code    string `json:"code"`
}

func (e *APIError) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message) }

// Call sends a JSON request to the API, with the access token of whoever signed
// in, and decodes the answer into answer, which may be nil. Another answer than
// 2xx is an *APIError.
func (p *Person) Call(ctx context.Context, method, path string, body, answer any) error {
	var payload io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.site+path, payload)
	if err != nil {
		return err
	}
	resp, err := p.Do(req)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		problem := &APIError{Status: resp.StatusCode}
		_ = json.Unmarshal(content, problem) // a proxy's answer may be no JSON; the status says enough
		return problem
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(content, answer)
}

// Do sends a request to the API that Call cannot make, as Call would.
func (p *Person) Do(req *http.Request) (*http.Response, error) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", p.site)
	p.Authorize(req)
	return p.client.Do(req)
}

// Authorize adds the access token of whoever signed in.
func (p *Person) Authorize(req *http.Request) {
	if token := p.Token(); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
}

// Approve finds somebody on the waitlist by the address, as staff do, and lets them in
// unless they are.
func (p *Person) Approve(ctx context.Context, email string) error {
	var list struct {
		Data []struct{ ID, Email, Status string }
	}
	if err := p.Call(ctx, http.MethodGet, "/api/get-waitlist-users?search="+url.QueryEscape(email), nil, &list); err != nil {
		return err
	}
	for _, entry := range list.Data {
		switch {
		case entry.Email != email:
		case entry.Status == "approved":
			return nil
		default:
			return p.Call(ctx, http.MethodPost, "/api/approve-waitlist-user", map[string]string{"waitlistUserId": entry.ID, "action": "approve"}, nil)
		}
	}
	return &APIError{Status: http.StatusNotFound, Message: email + " is not on the waitlist"}
}
