package mac

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

// recorder is the clients' transport. It records every secret in requests and responses.
type recorder struct {
	mu      sync.Mutex
	secrets map[string]bool
}

func newRecorder() *recorder { return &recorder{secrets: map[string]bool{}} }

// RoundTrip implements http.RoundTripper.
func (w *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		w.note(body)
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	w.note(body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func (w *recorder) note(body []byte) {
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return
	}
	for _, name := range []string{"access_token", "refresh_token", "code", "code_verifier"} {
		// The site's errors have a field `code` too, a short word.
		if value, ok := fields[name].(string); ok && len(value) > 40 {
			w.keep(value)
		}
	}
}

func (w *recorder) keep(secret string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets[secret] = true
}

func (w *recorder) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for secret := range w.secrets {
		all = append(all, secret)
	}
	slices.Sort(all)
	return all
}

// product is a running stack, nil where it is not ours, and the people at its site.
type product struct {
	stack *stack.Stack
	site  string
	*recorder
}

// mac is a Mac that nobody has signed in on.
func (p product) mac(t *testing.T, name string) *mac.Client {
	t.Helper()
	store, err := mac.OpenStore(t.TempDir())
	errtest.None(t, err)
	site, err := mac.ParseSite(p.site)
	errtest.None(t, err)
	return mac.New(mac.Options{Site: site, Store: store, DeviceName: name, Transport: p.recorder})
}

// browser is somebody signed in on the site.
func (p product) browser(t *testing.T, email string) *person.Person {
	t.Helper()
	someone := person.New(p.site)
	errtest.None(t, someone.SignIn(t.Context(), email))
	var session struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
	}
	errtest.None(t, someone.Call(t.Context(), http.MethodGet, "/api/auth/session", nil, &session))
	p.keep(session.AccessToken)
	p.keep(session.RefreshToken)
	return someone
}

// link does what /auth/callback does for an attempt: it asks for the hand-off
// and makes the app's link of the answer.
func (p product) link(t *testing.T, browser *person.Person, attempt mac.Attempt) string {
	t.Helper()
	page, err := url.Parse(attempt.Page())
	errtest.None(t, err)
	ask := map[string]string{"callback": attempt.Callback}
	for _, name := range []string{"code_challenge", "code_challenge_method"} {
		if page.Query().Has(name) {
			ask[name] = page.Query().Get(name)
		}
	}
	var answer struct {
		Code    string `json:"code"`
		Session struct {
			AccessToken  string      `json:"access_token"`
			RefreshToken string      `json:"refresh_token"`
			ExpiresIn    json.Number `json:"expires_in"`
			TokenType    string      `json:"token_type"`
		} `json:"session"`
	}
	errtest.None(t, browser.Call(t.Context(), http.MethodPost, "/api/auth/hand-off", ask, &answer))
	if answer.Code != "" {
		p.keep(answer.Code)
		return attempt.Callback + "?" + url.Values{"code": {answer.Code}, "state": {attempt.State}}.Encode()
	}
	p.keep(answer.Session.AccessToken)
	p.keep(answer.Session.RefreshToken)
	return attempt.Callback + "#" + url.Values{
		"access_token": {answer.Session.AccessToken}, "refresh_token": {answer.Session.RefreshToken},
		"expires_in": {answer.Session.ExpiresIn.String()}, "token_type": {answer.Session.TokenType}, "state": {attempt.State},
	}.Encode()
}

// signIn brings a Mac's sign-in to its end.
func (p product) signIn(t *testing.T, client *mac.Client, browser *person.Person) {
	t.Helper()
	attempt := client.Begin("google", mac.Link)
	errtest.None(t, client.Await(t.Context(), attempt))
	if _, err := client.Handle(t.Context(), p.link(t, browser, attempt)); err != nil {
		t.Fatal(err)
	}
}

// trade posts a grant as a program does that is not the reference client.
func (p product) trade(t *testing.T, grant map[string]string) (int, map[string]any) {
	t.Helper()
	body, err := json.Marshal(grant)
	errtest.None(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.site+"/api/auth/token", bytes.NewReader(body))
	errtest.None(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: p.recorder}).Do(req)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Error(err)
	}
	return resp.StatusCode, answer
}

// macs are the Macs in a person's list of devices.
func macs(t *testing.T, browser *person.Person) []mac.Device {
	t.Helper()
	var list struct {
		Data []mac.Device `json:"data"`
	}
	errtest.None(t, browser.Call(t.Context(), http.MethodGet, "/api/auth/devices", nil, &list))
	return slices.DeleteFunc(list.Data, func(d mac.Device) bool { return d.Kind != "mac" })
}
