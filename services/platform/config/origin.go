package config

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Origin parses value as a web origin exactly as browsers write one in an Origin
// header (RFC 6454, section 6.2): http or https, a host in lower-case ASCII, a
// port unless it is the scheme's own, and nothing else. The error names key.
func Origin(key, value string) (*url.URL, error) {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || value != u.Scheme+"://"+u.Host || !isCanonical(u) {
		return nil, fmt.Errorf("%s: %q is not an origin such as https://example.com", key, value)
	}
	return u, nil
}

func isCanonical(u *url.URL) bool {
	foreign := func(r rune) bool {
		return r <= ' ' || r > '~' || r >= 'A' && r <= 'Z' || strings.ContainsRune("%\\*,;_", r)
	}
	port := u.Port()
	if strings.ContainsFunc(u.Host, foreign) || strings.HasSuffix(u.Host, ":") || strings.HasPrefix(port, "0") {
		return false
	}
	if _, err := strconv.ParseUint(port, 10, 16); port != "" && err != nil {
		return false
	}
	return (u.Scheme != "https" || port != "443") && (u.Scheme != "http" || port != "80")
}
