package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

// site plays the few routes that the commands use. Its secrets say that they are.
func site(t *testing.T) {
	t.Helper()
	session := map[string]any{
		"access_token": "SECRET-ACCESS", "refresh_token": "SECRET-REFRESH", "expires_in": 600, "expires_at": 0, "token_type": "bearer",
		"user": map[string]any{"id": "u1", "email": "ann@fledge.test", "app_metadata": map[string]string{"provider": "apple"}},
	}
	credits := map[string]any{"granted": 50, "used": 0.29, "held": 5, "balance": 44.71}
	answers := map[string]any{
		"/api/auth/token": session, "/api/auth/user": session["user"],
		"/api/auth/devices":      map[string]any{"data": []any{map[string]any{"id": "d1", "kind": "mac", "name": "Ann's \x1b[31mMac", "last_active_at": "2026-01-02T03:04:05Z", "current": true}}},
		"/api/get-subscription":  map[string]any{"data": map[string]any{"status": "active", "current_period_end": "2026-12-21T12:00:00Z", "plan": map[string]any{"name": "Pro\x1b[31m", "monthly_credits": 50}}},
		"/api/get-token-balance": map[string]any{"data": credits},
		"/api/consume-credits":   map[string]any{"credits": credits}, "/api/settle-credits": map[string]any{"credits": credits},
		"/api/hold-credits": map[string]any{"holdId": "h1", "expires_at": "2026-12-21T12:00:00Z", "credits": credits},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/auth/sign-out" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_ = json.NewEncoder(w).Encode(answers[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	t.Setenv("FLEDGE_SITE_URL", server.URL)
	t.Setenv(mac.StateEnv, t.TempDir())
}

func command(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, strings.NewReader(stdin), &out)
	if strings.Contains(out.String(), "SECRET") || err != nil && strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%v prints a secret: %s %v", args, out.String(), err)
	}
	return out.String(), err
}

var printed = regexp.MustCompile(`(?m)^  (http\S+)$`)

// page is the address that a sign-in printed.
func page(t *testing.T, out string) url.Values {
	t.Helper()
	found := printed.FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("no address in %q", out)
	}
	address, err := url.Parse(found[1])
	if err != nil || address.Path != "/auth" {
		t.Fatalf("%s, %v", address, err)
	}
	return address.Query()
}

func TestALifeOnTheAppsLink(t *testing.T) {
	site(t)
	out, err := command(t, "", "sign-in", "--callback-scheme", "--print-url", "--provider", "apple")
	errtest.None(t, err)
	query := page(t, out)
	if query.Get("callback") != "fledge://auth/callback" || query.Get("provider") != "apple" || query.Get("code_challenge_method") != "S256" {
		t.Errorf("asks for %v", query)
	}
	out, err = command(t, "fledge://auth/callback?code=SECRET-CODE&state="+query.Get("state")+"\n", "handle", "-")
	if err != nil || out != "Signed in as ann@fledge.test (apple).\n" {
		t.Fatalf("%q, %v", out, err)
	}
	for _, tc := range []struct{ args, want string }{
		{"whoami", "ann@fledge.test (apple), account u1\n"},
		{"refresh", "The access token for ann@fledge.test at "},
		{"token", "is good for 10m0s.\n"},
		{"devices", `d1  mac  "Ann's \x1b[31mMac"`},
		{"plan", `"Pro\x1b[31m" plan, "active", 50.00 credits per month, next billing date December 21, 2026`},
		{"credits", "44.71 of 50.00 credits left, 5.00 held.\n"},
		{"spend 0.29 screen", "Spent 0.29: 44.71 of 50.00 credits left"},
		{"hold 5 app", "Held 5.00 until "},
		{"settle h1 0", "Settled at 0.00: 44.71"},
		{"upgrade --print-url", "/upgrade?source=electron\n"},
		{"sign-out", "Signed out on this machine.\n"},
		{"sign-out", "Signed out on this machine.\n"},
	} {
		if out, err := command(t, "", strings.Fields(tc.args)...); err != nil || !strings.Contains(out, tc.want) {
			t.Errorf("%s: %q, %v", tc.args, out, err)
		}
	}
	for _, args := range [][]string{{"whoami"}, {"refresh"}, {"token"}, {"devices"}, {"plan"}, {"credits"}, {"spend", "1", "x"}, {"settle", "h", "1"}, {"sign-out", "--everywhere"}} {
		if out, err := command(t, "", args...); !errors.Is(err, mac.ErrSignedOut) || out != "" {
			t.Errorf("%v signed out: %q, %v", args, out, err)
		}
	}
}

func TestALinkForNoSignIn(t *testing.T) {
	site(t)
	if _, err := command(t, "", "handle", "fledge://auth/callback?code=SECRET&state=x"); !errors.Is(err, mac.ErrNoAttempt) {
		t.Errorf("got %v", err)
	}
	out, err := command(t, "", "sign-in", "--no-pkce", "--print-url")
	if err != nil || page(t, out).Has("code_challenge") {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := command(t, "", "handle", "fledge://auth/callback#access_token=SECRET&state=x"); !errors.Is(err, mac.ErrForeignCallback) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNotUnderstoodIsExplained(t *testing.T) {
	site(t)
	for _, args := range [][]string{
		nil, {"sing-in"}, {"sign-in", "x"}, {"sign-in", "--provider", "facebook"}, {"sign-in", "--open", "--print-url"}, {"sign-in", "--what"},
		{"handle"}, {"handle", "a", "b"}, {"whoami", "x"}, {"token", "--show"}, {"sign-out", "--all"},
		{"plan", "pro"}, {"spend", "1"}, {"hold"}, {"settle", "h1"}, {"upgrade", "pro"},
	} {
		if _, err := command(t, "", args...); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v", args, err)
		}
	}
	t.Setenv("FLEDGE_SITE_URL", "http://fledge.example")
	if _, err := command(t, "", "whoami"); err == nil || !strings.Contains(err.Error(), "must be an origin") {
		t.Errorf("plain http: %v", err)
	}
}

func TestTheDefaultSiteIsTheLocalStack(t *testing.T) {
	t.Setenv("FLEDGE_SITE_URL", "")
	for port, want := range map[string]string{"": "http://localhost:8080", "9000": "http://localhost:9000"} {
		t.Setenv("PORT", port)
		if got := siteAddress(); got != want {
			t.Errorf("PORT=%s: %s", port, got)
		}
	}
}
