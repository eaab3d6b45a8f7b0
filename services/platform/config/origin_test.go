package config_test

import (
	"strings"
	"testing"

	"fledge.dev/services/platform/config"
)

func TestOrigin(t *testing.T) {
	for _, origin := range []string{
		"https://example.com", "https://fledge.example.com", "http://localhost:8080", "http://127.0.0.1:8080", "https://example.com:8443",
		"https://xn--bcher-kva.example", "http://[::1]:8080", "https://a-b.example", "http://localhost",
	} {
		u, err := config.Origin("SITE_ORIGIN", origin)
		if err != nil || u.String() != origin {
			t.Errorf("%s: got %v, %v", origin, u, err)
		}
	}
	for _, value := range []string{
		"", "/", "example.com", "//example.com", "example.com:8080", "https:", "https://", "https:///", "https:example.com", "https:/example.com",
		"https://example.com/", "https://example.com/path", "https://example.com//", "https://example.com?", "https://example.com?x=y",
		"https://example.com#", "https://example.com#x", "https://user@example.com", "https://user:pw@example.com", "https://@example.com",
		"https://:8080", "https://example.com:", "https://example.com:x", "https://example.com:99999999999999999999", "https://example.com:08443",
		"https://example.com:443", "http://example.com:80", "HTTPS://example.com", "https://Example.com", "https://EXAMPLE.COM",
		"ftp://example.com", "ws://example.com", "javascript://example.com", "fledge://auth", "null", "*", "https://*", "https://*.example.com",
		" https://example.com", "https://example.com ", "https://example.com\n", "https://exa mple.com", "https://exam\tple.com", "https://example.com\x00",
		"https://bücher.example", "https://example。com", "https://example.com\\evil", "https://example.com,https://evil.com", "https://%65xample.com",
		"https://[::1", "https://[::1%25lo]:8080",
	} {
		_, err := config.Origin("SITE_ORIGIN", value)
		if err == nil || !strings.HasPrefix(err.Error(), "SITE_ORIGIN: ") {
			t.Errorf("%q: got %v", value, err)
		}
	}
}
