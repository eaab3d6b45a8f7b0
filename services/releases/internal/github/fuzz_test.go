package github_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/github"
)

// FuzzAllow: a browser that follows what is allowed arrives at one of the hosts, in
// whatever way it reads addresses.
func FuzzAllow(f *testing.F) {
	api, err := url.Parse("https://api.github.com/")
	errtest.None(f, err)
	hosts := github.HostsFor(api, "Downloads.Example:8443")
	for _, seed := range []string{
		"https://github.com/o/r/releases/download/v1/x.dmg", "https://GitHub.com/x", "https://downloads.example:8443/x", "http://github.com/x", "https://github.com@evil.com/x", "https://github.com.evil.com/", "//github.com/x",
		"https:/github.com/x", "https:\\\\github.com\\x", "https://github.com\\@evil.com", "https://github.com:443/x", "javascript://github.com/%0aalert(1)", "https://github.com/\t//evil.com", "https://evil.com#github.com", "file://github.com/etc/passwd",
		"https://github.com./x", "https://[::1]/", "https://github.com%2eevil.com/", "HTTPS://github.com/x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if !hosts.Allow(address) {
			return
		}
		lower := strings.ToLower(address)
		rest, ok := strings.CutPrefix(lower, "https://")
		if !ok || strings.ContainsAny(address, "\\\t\r\n #@") && !strings.ContainsAny(rest[strings.IndexAny(rest+"/", "/?"):], "@") {
			t.Fatalf("%q is allowed", address)
		}
		// Up to the first of these, browsers read the authority (WHATWG URL, section 4.4).
		authority := rest[:strings.IndexAny(rest+"/", "/\\?#")]
		if !slices.Contains([]string{"github.com", "downloads.example:8443"}, authority) {
			t.Fatalf("%q leads to %q", address, authority)
		}
	})
}

// FuzzWebhook: nothing counts that GitHub has not signed, and what it has signed
// breaks nothing.
func FuzzWebhook(f *testing.F) {
	cfg := valid()
	cfg.WebhookSecrets = config.Secret("a-secret-of-github, the-secret-before-it")
	hook := cfg.Webhook()
	sign := func(secret, payload string) string {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(payload))
		return "sha256=" + hex.EncodeToString(mac.Sum(nil))
	}
	for _, payload := range []string{`{"action":"published","repository":{"full_name":"fledge/fledge-mac"}}`, `{"repository":null}`, `[]`, ``, "\xff"} {
		f.Add(payload, sign("a-secret-of-github", payload), "release")
		f.Add(payload, "sha256=00", "release")
	}
	f.Fuzz(func(t *testing.T, payload, signature, event string) {
		relevant, err := hook.Verify([]byte(payload), signature, event)
		genuine := slices.Contains([]string{sign("a-secret-of-github", payload), sign("the-secret-before-it", payload)}, strings.ToLower(signature))
		if err == nil && !genuine || relevant && (err != nil || event != "release") {
			t.Fatalf("%q with %q: %t, %v", payload, signature, relevant, err)
		}
		relevant, err = hook.Verify([]byte(payload), sign("a-secret-of-github", payload), "release")
		if relevant != (err == nil) {
			t.Fatalf("%q: %t, %v", payload, relevant, err)
		}
	})
}
