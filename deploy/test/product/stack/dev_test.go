package stack_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
)

// compiling is how long "next dev" may take for a page that nobody has opened yet.
const compiling = 2 * time.Minute

// TestWhileDevelopingSomebodySignsInAndUsesTheAPI starts what `make dev` does: pages and their scripts come from
// "next dev", sign-in and the API from the running services, through one front door.
func TestWhileDevelopingSomebodySignsInAndUsesTheAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("has Next compile pages, which takes minutes on two cores: `make test-long`")
	}
	opts := stacktest.Options(t, stack.InProcess)
	opts.Dev = true
	s := stacktest.Start(t, opts)
	site := s.URLs().Site

	// Where the sign-in ends, and the page that is opened then.
	get(t, site+"/auth/callback")
	profile := get(t, site+"/profile")
	script := regexp.MustCompile(`<script src="(/_next/[^"]+)"`).FindStringSubmatch(profile)
	if script == nil || !strings.Contains(profile, "hmr") {
		t.Fatalf("the page has no script, or none that reloads it: %.2000s", profile)
	}
	get(t, site+script[1])
	if settings := get(t, site+"/config.json"); !strings.HasPrefix(settings, "{") {
		t.Errorf("the site's settings are %q", settings)
	}

	tester := person.New(site)
	errtest.None(t, tester.SignIn(t.Context(), stack.TesterEmail))
	var session struct {
		User struct {
			Email string `json:"email"`
		} `json:"user"`
	}
	if err := tester.Call(t.Context(), http.MethodGet, "/api/auth/session", nil, &session); err != nil || session.User.Email != stack.TesterEmail {
		t.Errorf("the profile shows %q: %v", session.User.Email, err)
	}
	if err := tester.Call(t.Context(), http.MethodGet, "/api/get-credit-balance", nil, nil); err != nil {
		t.Error(err)
	}
}

// get returns what is at an address, which must be there.
func get(t *testing.T, address string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), compiling)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	errtest.None(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	errtest.None(t, err)
	body, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); err != nil || closed != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v, %v", address, resp.Status, err, closed)
	}
	return string(body)
}
