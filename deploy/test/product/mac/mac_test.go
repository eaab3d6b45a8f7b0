package mac

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/mac"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
)

// TestTheMacOverTheRealProduct is one test so that the product starts once, and
// so that its last part can look for secrets in all that the others left behind.
func TestTheMacOverTheRealProduct(t *testing.T) {
	opts := stacktest.Options(t, stack.Processes) // whatever a service prints is in its log
	opts.Settings = map[string][]string{
		"gateway": {"TOKEN_LIMIT_PER_MINUTE=6000", "TOKEN_LIMIT_BURST=1000", "SIGN_IN_LIMIT_PER_MINUTE=600", "SIGN_IN_LIMIT_BURST=200"},
	}
	secret := rand.Text()
	opts.Settings["identity"] = []string{fmt.Sprintf("OAUTH_CLIENTS=builder:%x", sha256.Sum256([]byte(secret)))}
	stacktest.Patient(&opts)
	running := stacktest.Start(t, opts)
	p := product{stack: running, site: running.URLs().Site, recorder: newRecorder()}

	t.Run("a life", p.life)
	t.Run("a restart of identity", p.restart)
	t.Run("a code is good once", p.reuse)
	t.Run("a code needs its verifier", p.wrongVerifier)
	t.Run("fifty exchanges at once", p.race)
	t.Run("twenty refreshes at once", p.refreshes)
	t.Run("a removed device", p.removed)
	t.Run("signed out everywhere", p.everywhere)
	t.Run("a code of a browser that signed out", p.signedOutBrowser)
	t.Run("tokens without a code", func(t *testing.T) { p.tokens(t, opts) })
	t.Run("an OAuth library", p.library)
	t.Run("credits", p.credits)
	t.Run("a server that spends", func(t *testing.T) { p.server(t, secret) })
	t.Run("no secret is left lying about", func(t *testing.T) { p.canaries(t, opts.State) })
}

func (p product) life(t *testing.T) {
	browser := p.browser(t, "ann@fledge.test")
	client := p.mac(t, "Ann's MacBook")
	p.signIn(t, client, browser)
	if who, err := client.WhoAmI(t.Context()); err != nil || who.Email != "ann@fledge.test" || who.AppMetadata.Provider != "google" {
		t.Errorf("%+v, %v", who, err)
	}
	before, err := client.Credentials()
	errtest.None(t, err)
	if err := client.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if after, err := client.Credentials(); err != nil || after.RefreshToken == before.RefreshToken {
		t.Errorf("the same refresh token, %v", err)
	}
	devices, err := client.Devices(t.Context())
	if err != nil || len(devices) != 2 {
		t.Fatalf("%+v, %v", devices, err)
	}
	for _, d := range devices {
		if mine := d.Kind == "mac"; d.Current != mine || mine && d.Name != "Ann's MacBook" {
			t.Errorf("%+v", d)
		}
	}
	p.signIn(t, client, browser)
	if n := len(macs(t, browser)); n != 1 {
		t.Errorf("signing in again left %d Macs", n)
	}
	if err := client.SignOut(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(macs(t, browser)); n != 0 {
		t.Errorf("signing out left %d Macs", n)
	}
}

func (p product) restart(t *testing.T) {
	browser, client := p.browser(t, "restart@fledge.test"), p.mac(t, "")
	p.signIn(t, client, browser)
	restarted := make(chan error, 1)
	go func() { restarted <- p.stack.Restart(t.Context(), "identity") }()
	for done := false; !done; {
		// The whole time, whatever state identity is in. A slow machine takes longer to restart it than the client retries.
		var problem *mac.Problem
		err := client.Refresh(t.Context())
		if away := errors.As(err, &problem) && problem.Status == http.StatusServiceUnavailable; err != nil && !away {
			t.Error(err)
			done = true
		}
		select {
		case err := <-restarted:
			if err != nil {
				t.Error(err)
			}
			done = true
		default:
		}
	}
	if err := client.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := client.WhoAmI(t.Context()); err != nil {
		t.Error(err)
	}
}

// grant is the body that trades a link's code.
func grant(t *testing.T, attempt mac.Attempt, link string) map[string]string {
	t.Helper()
	u, err := url.Parse(link)
	errtest.None(t, err)
	return map[string]string{
		"grant_type": "authorization_code", "code": u.Query().Get("code"),
		"code_verifier": string(attempt.Verifier), "redirect_uri": attempt.Callback,
	}
}

func (p product) reuse(t *testing.T) {
	browser, client := p.browser(t, "reuse@fledge.test"), p.mac(t, "")
	attempt := client.Begin("google", mac.Link)
	link := p.link(t, browser, attempt)
	errtest.None(t, client.Await(t.Context(), attempt))
	if _, err := client.Handle(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	if status, answer := p.trade(t, grant(t, attempt, link)); status != http.StatusBadRequest || answer["code"] != "invalid_grant" {
		t.Errorf("a second use: %d %v", status, answer)
	}
	if err := client.Refresh(t.Context()); !errors.Is(err, mac.ErrSignedOut) {
		t.Errorf("the device lives on: %v", err)
	}
	if n := len(macs(t, browser)); n != 0 {
		t.Errorf("%d Macs are listed", n)
	}
}

func (p product) wrongVerifier(t *testing.T) {
	browser, client := p.browser(t, "verifier@fledge.test"), p.mac(t, "")
	attempt := client.Begin("google", mac.Link)
	good := grant(t, attempt, p.link(t, browser, attempt))
	var refusals []any
	for name, value := range map[string]string{
		"code_verifier": string(client.Begin("google", mac.Link).Verifier),
		"redirect_uri":  "http://127.0.0.1:49152/auth/callback",
		"code":          good["code_verifier"],
	} {
		bad := map[string]string{}
		for k, v := range good {
			bad[k] = v
		}
		bad[name] = value
		status, answer := p.trade(t, bad)
		if status != http.StatusBadRequest || answer["code"] != "invalid_grant" {
			t.Errorf("another %s: %d %v", name, status, answer)
		}
		refusals = append(refusals, answer["error"])
	}
	if refusals[0] != refusals[1] || refusals[1] != refusals[2] {
		t.Errorf("the refusals tell more than that: %v", refusals)
	}
	if status, answer := p.trade(t, good); status != http.StatusOK {
		t.Errorf("a stranger's try has burnt the code: %d %v", status, answer)
	}
}

func (p product) race(t *testing.T) {
	browser, client := p.browser(t, "race@fledge.test"), p.mac(t, "")
	attempt := client.Begin("google", mac.Link)
	body := grant(t, attempt, p.link(t, browser, attempt))
	var good, refused atomic.Int32
	var refresh atomic.Value
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			switch status, answer := p.trade(t, body); {
			case status == http.StatusOK:
				good.Add(1)
				refresh.Store(answer["refresh_token"])
			case status == http.StatusBadRequest && answer["code"] == "invalid_grant":
				refused.Add(1)
			default:
				t.Errorf("%d %v", status, answer)
			}
		})
	}
	wg.Wait()
	if good.Load() != 1 || refused.Load() != 49 {
		t.Fatalf("%d successes, %d refusals", good.Load(), refused.Load())
	}
	// Two attempts with the verifier are taken for two parties: neither keeps the session.
	status, _ := p.trade(t, map[string]string{"grant_type": "refresh_token", "refresh_token": refresh.Load().(string)})
	if status != http.StatusUnauthorized || len(macs(t, browser)) != 0 {
		t.Errorf("the device lives on: %d, %+v", status, macs(t, browser))
	}
}

func (p product) refreshes(t *testing.T) {
	browser, client := p.browser(t, "refreshes@fledge.test"), p.mac(t, "")
	p.signIn(t, client, browser)
	before, err := client.Credentials()
	errtest.None(t, err)
	// As many programs that know nothing of each other.
	children := sync.Map{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			status, answer := p.trade(t, map[string]string{"grant_type": "refresh_token", "refresh_token": string(before.RefreshToken)})
			if status != http.StatusOK {
				t.Errorf("%d %v", status, answer)
				return
			}
			children.Store(answer["refresh_token"], true)
		})
	}
	wg.Wait()
	if n := size(&children); n != 1 {
		t.Errorf("%d children of one token", n)
	}
	// The client still has the parent: within ten seconds it gets that child too,
	// and all of its goroutines have it from one request.
	for range 20 {
		wg.Go(func() {
			if err := client.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, err := client.WhoAmI(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(macs(t, browser)); n != 1 {
		t.Errorf("%d Macs", n)
	}
}

func size(m *sync.Map) (n int) {
	m.Range(func(any, any) bool { n++; return true })
	return n
}

func (p product) removed(t *testing.T) {
	browser, client := p.browser(t, "removed@fledge.test"), p.mac(t, "Lost Mac")
	p.signIn(t, client, browser)
	listed := macs(t, browser)
	if len(listed) != 1 || listed[0].Name != "Lost Mac" {
		t.Fatalf("%+v", listed)
	}
	stranger := p.browser(t, "stranger@fledge.test")
	remove := map[string]string{"device_id": listed[0].ID}
	var problem *person.APIError
	if err := stranger.Call(t.Context(), http.MethodPost, "/api/auth/revoke-device", remove, nil); !errors.As(err, &problem) || problem.Status != http.StatusNotFound {
		t.Errorf("a stranger's removal: %v", err)
	}
	errtest.None(t, browser.Call(t.Context(), http.MethodPost, "/api/auth/revoke-device", remove, nil))
	if err := client.Refresh(t.Context()); !errors.Is(err, mac.ErrSignedOut) {
		t.Errorf("got %v", err)
	}
}

func (p product) everywhere(t *testing.T) {
	browser := p.browser(t, "everywhere@fledge.test")
	one, two := p.mac(t, "one"), p.mac(t, "two")
	p.signIn(t, one, browser)
	p.signIn(t, two, browser)
	errtest.None(t, one.SignOutEverywhere(t.Context()))
	if err := two.Refresh(t.Context()); !errors.Is(err, mac.ErrSignedOut) {
		t.Errorf("the other Mac: %v", err)
	}
	var problem *person.APIError
	if err := browser.Call(t.Context(), http.MethodGet, "/api/auth/session", nil, nil); !errors.As(err, &problem) || problem.Status != http.StatusUnauthorized {
		t.Errorf("the browser: %v", err)
	}
}

func (p product) signedOutBrowser(t *testing.T) {
	browser, client := p.browser(t, "leaver@fledge.test"), p.mac(t, "")
	attempt := client.Begin("google", mac.Link)
	body := grant(t, attempt, p.link(t, browser, attempt))
	errtest.None(t, browser.Call(t.Context(), http.MethodPost, "/api/auth/sign-out", map[string]string{}, nil))
	if status, answer := p.trade(t, body); status != http.StatusBadRequest || answer["code"] != "invalid_grant" {
		t.Errorf("%d %v", status, answer)
	}
}

func (p product) tokens(t *testing.T, opts stack.Options) {
	browser, client := p.browser(t, "tokens@fledge.test"), p.mac(t, "")
	attempt := client.BeginWithoutCode("google")
	errtest.None(t, client.Await(t.Context(), attempt))
	if who, err := client.Handle(t.Context(), p.link(t, browser, attempt)); err != nil || who.Email != "tokens@fledge.test" {
		t.Fatalf("%+v, %v", who, err)
	}
	if err := client.Refresh(t.Context()); err != nil {
		t.Error(err)
	}

	opts.Settings["identity"] = append(opts.Settings["identity"], "HAND_OFF_TOKENS=false") // read when a service starts
	errtest.None(t, p.stack.Restart(t.Context(), "identity"))
	var problem *person.APIError
	err := browser.Call(t.Context(), http.MethodPost, "/api/auth/hand-off", map[string]string{"callback": mac.Link}, nil)
	if !errors.As(err, &problem) || problem.Status != http.StatusForbidden || problem.Code != "token_hand_off_disabled" {
		t.Errorf("with the switch off: %v", err)
	}
	if err := client.Refresh(t.Context()); err != nil {
		t.Errorf("the switch ended a session: %v", err)
	}
	p.signIn(t, client, browser)
}
