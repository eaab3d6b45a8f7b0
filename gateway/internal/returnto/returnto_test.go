package returnto_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/services/platform/fault"
)

type corpus struct{ Accepted, Refused []string }

func load(t testing.TB) (c corpus) {
	t.Helper()
	raw, err := os.ReadFile("testdata/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParse(t *testing.T) {
	c := load(t)
	for _, target := range c.Accepted {
		if got, err := returnto.Parse(target); err != nil || got != target {
			t.Errorf("%q: got %q, %v", target, got, err)
		}
	}
	for _, target := range append(c.Refused, "/profile?paywall="+strings.Repeat("x", returnto.MaxBytes)) {
		if got, err := returnto.Parse(target); !errors.Is(err, fault.Invalid) || got != "" {
			t.Errorf("%q: got %q, %v", target, got, err)
		}
	}
}

// FuzzParse holds what passes against how a browser would read it: on our own
// origin, at a listed path, with nothing but listed places in its parameters.
func FuzzParse(f *testing.F) {
	c := load(f)
	for _, target := range append(c.Accepted, c.Refused...) {
		f.Add(target)
	}
	origin, err := url.Parse("https://fledge.example")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, target string) {
		got, err := returnto.Parse(target)
		if err != nil {
			return
		}
		u, err := origin.Parse(got)
		if err != nil {
			t.Fatalf("%q does not parse: %v", got, err)
		}
		if u.Scheme != "https" || u.Host != origin.Host || u.User != nil || u.Fragment != "" {
			t.Fatalf("%q leads to %s", target, u)
		}
		switch u.Path {
		case "/", "/profile", "/closed-beta", "/admin", "/auth/callback":
		default:
			t.Fatalf("%q leads to the path %q", target, u.Path)
		}
		if link := u.Query().Get("callback"); link != "" && link != "fledge://auth/callback" &&
			!strings.HasPrefix(link, "http://127.0.0.1:") && !strings.HasPrefix(link, "http://[::1]:") {
			t.Fatalf("%q hands the session to %q", target, link)
		}
		if redirect := u.Query().Get("redirect"); redirect != "" && (redirect[0] != '/' || strings.HasPrefix(redirect, "//")) {
			t.Fatalf("%q redirects to %q", target, redirect)
		}
	})
}
