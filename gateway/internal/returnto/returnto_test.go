package returnto_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

const pkce = "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"

// none is an installation without further links.
var none returnto.Links

// corpus is the file with which the web's counterpart is tested as well.
type corpus struct {
	ReturnTo, Redirect verdicts
	Callback           struct {
		verdicts
		AcceptedWithPkce []string
	}
}

type verdicts struct{ Accepted, Refused []string }

func load(t testing.TB) (c corpus) {
	t.Helper()
	raw, err := os.ReadFile("testdata/corpus.json")
	errtest.None(t, err)
	errtest.None(t, json.Unmarshal(raw, &c))
	return c
}

func TestTheCorpusIsLarge(t *testing.T) {
	c := load(t)
	for name, v := range map[string]verdicts{"returnTo": c.ReturnTo, "callback": c.Callback.verdicts, "redirect": c.Redirect} {
		if len(v.Accepted) == 0 || len(v.Refused) < 150 {
			t.Errorf("%s: %d accepted and %d refused", name, len(v.Accepted), len(v.Refused))
		}
	}
}

func TestParse(t *testing.T) {
	c := load(t)
	for _, target := range c.ReturnTo.Accepted {
		accepts(t, target)
	}
	for _, target := range c.ReturnTo.Refused {
		refuses(t, target)
	}
}

func TestRedirect(t *testing.T) {
	c := load(t)
	for _, page := range c.Redirect.Accepted {
		if !returnto.Redirect(page) {
			t.Errorf("%q is refused", page)
		}
		accepts(t, "/auth/callback?redirect="+url.QueryEscape(page))
	}
	for _, page := range c.Redirect.Refused {
		if returnto.Redirect(page) {
			t.Errorf("%q is accepted", page)
		}
		refuses(t, "/auth/callback?redirect="+url.QueryEscape(page))
	}
}

func TestCallback(t *testing.T) {
	c := load(t)
	for _, link := range c.Callback.Accepted {
		callback(t, link, true, true)
	}
	for _, link := range c.Callback.AcceptedWithPkce {
		callback(t, link, false, true)
	}
	for _, link := range c.Callback.Refused {
		callback(t, link, false, false)
	}
}

// callback holds a link against its verdicts without and with PKCE, alone and
// inside a return target.
func callback(t *testing.T, link string, bare, challenged bool) {
	t.Helper()
	if got := none.Callback(link, false); got != bare {
		t.Errorf("%q without PKCE: %t", link, got)
	}
	if got := none.Callback(link, true); got != challenged {
		t.Errorf("%q with PKCE: %t", link, got)
	}
	target := "/auth/callback?callback=" + url.QueryEscape(link)
	for path, accepted := range map[string]bool{target: bare, target + pkce: challenged} {
		if accepted {
			accepts(t, path)
		} else {
			refuses(t, path)
		}
	}
}

func accepts(t *testing.T, target string) {
	t.Helper()
	if got, err := none.Parse(target); err != nil || got != target {
		t.Errorf("%q: got %q, %v", target, got, err)
	}
}

func refuses(t *testing.T, target string) {
	t.Helper()
	if got, err := none.Parse(target); !errors.Is(err, fault.Invalid) || got != "" {
		t.Errorf("%q: got %q, %v", target, got, err)
	}
}

// FuzzParse holds what passes against how a browser would read it: on our own
// origin, at the one path, with nothing but listed places in its parameters.
func FuzzParse(f *testing.F) {
	c := load(f)
	for _, target := range slices.Concat(c.ReturnTo.Accepted, c.ReturnTo.Refused, c.Redirect.Refused) {
		f.Add(target)
	}
	origin, err := url.Parse("https://fledge.example")
	errtest.None(f, err)
	f.Fuzz(func(t *testing.T, target string) {
		got, err := none.Parse(target)
		if err != nil {
			return
		}
		u, err := origin.Parse(got)
		if err != nil || got != target || len(got) > returnto.MaxBytes {
			t.Fatalf("%q became %q: %v", target, got, err)
		}
		if u.Scheme != "https" || u.Host != origin.Host || u.User != nil || u.Fragment != "" || u.Path != "/auth/callback" {
			t.Fatalf("%q leads to %s", target, u)
		}
		query := u.Query()
		for name, values := range query {
			if len(values) != 1 {
				t.Fatalf("%q has %s %d times", target, name, len(values))
			}
		}
		if query.Has("callback") == query.Has("redirect") && len(query) > 0 {
			t.Fatalf("%q leads to two places or none", target)
		}
		if query.Has("redirect") && !slices.Contains(c.Redirect.Accepted, query.Get("redirect")) {
			t.Fatalf("%q redirects to %q", target, query.Get("redirect"))
		}
		if query.Has("callback") {
			isOurApp(t, query.Get("callback"), query.Has("code_challenge"))
		}
		if state := query.Get("state"); len(state) > 512 || strings.ContainsFunc(state, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
			t.Fatalf("%q has the state %q", target, state)
		}
	})
}

// FuzzCallback holds an accepted link against net/url: it is the registered link,
// or this very machine.
func FuzzCallback(f *testing.F) {
	c := load(f)
	for _, link := range slices.Concat(c.Callback.Accepted, c.Callback.AcceptedWithPkce, c.Callback.Refused) {
		f.Add(link, true)
		f.Add(link, false)
	}
	f.Fuzz(func(t *testing.T, link string, pkce bool) {
		if none.Callback(link, pkce) {
			isOurApp(t, link, pkce)
		}
	})
}

func isOurApp(t *testing.T, link string, pkce bool) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || u.String() != link || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.RawPath != "" {
		t.Fatalf("%q is more than a link: %v", link, err)
	}
	if link == "fledge://auth/callback" {
		return
	}
	host := u.Hostname()
	if !pkce || u.Scheme != "http" || (host != "127.0.0.1" && host != "::1") || u.Port() == "" || u.Path != "/auth/callback" {
		t.Fatalf("%q hands the session over (PKCE %t)", link, pkce)
	}
}
