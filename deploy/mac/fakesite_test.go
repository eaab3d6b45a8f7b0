package mac_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

const origin = "https://fledge.test"

// fakeSite is the site's side of the protocol, with the rules of its tokens. It
// stands in the place of the network, so that time can be a synctest bubble's.
type fakeSite struct {
	mu       sync.Mutex
	n        int
	leaf     string    // the living refresh token; "" when the session has ended
	parent   string    // good for 30 seconds
	former   string    // the living refresh token of the session before this one
	before   string    // its access token
	rotated  time.Time // when it became the parent
	access   string
	grants   []string // grant_type of every exchange that arrived
	requests []*http.Request
	bodies   []string
	signOuts []string // scope

	// lose tells of the nth request for tokens, from 0, whether its answer gets
	// lost after the site has acted.
	lose func(n int) bool
	// status answers instead of the site, unless 0.
	status int
	takes  time.Duration
	// meanwhile happens while a request is on its way.
	meanwhile func(path string)
}

func (f *fakeSite) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
	}
	if f.meanwhile != nil {
		f.meanwhile(req.URL.Path)
	}
	if f.takes > 0 {
		select {
		case <-time.After(f.takes):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests, f.bodies = append(f.requests, req), append(f.bodies, string(body))
	if f.status != 0 {
		return answer(f.status, map[string]string{"error": "Out of order.", "code": "unavailable"})
	}
	switch req.URL.Path {
	case "/api/auth/token":
		return f.token(body)
	case "/api/auth/user":
		if req.Header.Get("Authorization") != "Bearer "+f.access {
			return answer(401, map[string]string{"error": "Please sign in.", "code": "unauthenticated"})
		}
		return answer(200, user)
	case "/api/auth/sign-out":
		var in struct{ Scope string }
		_ = json.Unmarshal(body, &in)
		switch req.Header.Get("Authorization") {
		case "Bearer " + f.access:
			f.leaf, f.access = "", ""
		case "Bearer FORMER-ACCESS", "Bearer " + f.before:
		default:
			return answer(401, map[string]string{"error": "Please sign in.", "code": "invalid_token"})
		}
		f.signOuts = append(f.signOuts, in.Scope+" "+req.Header.Get("Authorization"))
		return answer(204, nil)
	}
	return answer(404, nil)
}

var user = map[string]any{"id": "u1", "email": "ann@fledge.test", "app_metadata": map[string]string{"provider": "google"}}

func (f *fakeSite) token(body []byte) (*http.Response, error) {
	var in struct {
		GrantType    string `json:"grant_type"`
		RefreshToken string `json:"refresh_token"`
	}
	_ = json.Unmarshal(body, &in)
	f.grants = append(f.grants, in.GrantType)
	switch {
	case in.GrantType == "authorization_code":
		f.former, f.before, f.leaf = f.leaf, f.access, ""
		f.next()
	case f.former != "" && in.RefreshToken == f.former:
		f.former = "FORMER-REFRESH"
		return answer(200, map[string]any{
			"access_token": "FORMER-ACCESS", "refresh_token": f.former, "expires_in": 600, "token_type": "bearer", "user": user,
		})
	case f.leaf != "" && in.RefreshToken == f.leaf:
		f.next()
	case f.leaf != "" && in.RefreshToken == f.parent && time.Since(f.rotated) < 10*time.Second:
		// the same child again
	default:
		f.leaf, f.access = "", "" // reuse
		return answer(401, map[string]string{"error": "Please sign in again.", "code": "refresh_token_invalid"})
	}
	if f.lose != nil && f.lose(len(f.grants)-1) {
		return nil, fmt.Errorf("connection reset")
	}
	return answer(200, map[string]any{
		"access_token": f.access, "refresh_token": f.leaf, "expires_in": 600,
		"expires_at": 1, // the site's clock may be anything
		"token_type": "bearer", "user": user,
	})
}

func (f *fakeSite) next() {
	f.n++
	f.parent, f.rotated = f.leaf, time.Now()
	f.leaf, f.access = fmt.Sprintf("REFRESH-%d", f.n), fmt.Sprintf("ACCESS-%d", f.n)
}

func answer(status int, body any) (*http.Response, error) {
	encoded, err := json.Marshal(body)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(encoded))}, err
}

func (f *fakeSite) times(grant string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(f.grants), func(g string) bool { return g != grant }))
}

// client is a Mac at the fake site with its state in a folder of the test.
func client(t *testing.T, site http.RoundTripper) *mac.Client {
	t.Helper()
	return clientIn(t, site, t.TempDir())
}

func clientIn(t *testing.T, site http.RoundTripper, dir string) *mac.Client {
	t.Helper()
	store, err := mac.OpenStore(dir)
	errtest.None(t, err)
	at, err := mac.ParseSite(origin)
	errtest.None(t, err)
	return mac.New(mac.Options{Site: at, Store: store, DeviceName: "Ann's MacBook", Transport: site})
}

// signIn brings the client's sign-in to its end with a good link.
func signIn(t *testing.T, c *mac.Client) {
	t.Helper()
	attempt := c.Begin("google", mac.Link)
	errtest.None(t, c.Await(t.Context(), attempt))
	who, err := c.Handle(t.Context(), mac.Link+"?code=CODE&state="+attempt.State)
	if err != nil || who.Email != "ann@fledge.test" {
		t.Fatalf("%+v, %v", who, err)
	}
}
