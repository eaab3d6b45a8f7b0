package github

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"fledge.dev/services/platform/hostname"
)

// Hosts are the places that people may be sent to for an asset, as host or
// host:port in lower case.
type Hosts []string

// The public GitHub serves its API and its downloads from two hosts.
const (
	publicAPI       = "api.github.com"
	publicDownloads = "github.com"
)

// HostsFor returns the download hosts that belong to an API: github.com for the
// public GitHub, NAME.ghe.com for GitHub Enterprise Cloud with data residency, and the API's own host for
// GitHub Enterprise Server.
func HostsFor(api *url.URL, more ...string) Hosts {
	own := strings.ToLower(api.Host)
	if own == publicAPI || strings.HasSuffix(own, ".ghe.com") {
		own = strings.TrimPrefix(own, "api.")
	}
	hosts := Hosts{own}
	for _, h := range more {
		hosts = append(hosts, strings.ToLower(h))
	}
	return hosts
}

// Allow reports whether a browser may be sent to rawURL: an absolute https URL
// without credentials or fragment on one of the hosts. Plain http is for this
// machine and test names alone, where the stand-in is.
func (h Hosts) Allow(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil || u.User != nil || strings.Contains(rawURL, "#") || u.Opaque != "" || len(rawURL) > 2048 {
		return false
	}
	if strings.ContainsFunc(rawURL, func(r rune) bool { return r <= ' ' || r == '\\' || r >= 0x7f }) {
		return false
	}
	if !h.has(u.Host) {
		return false
	}
	return u.Scheme == "https" || (u.Scheme == "http" && hostname.IsTest(u.Hostname()))
}

func (h Hosts) has(host string) bool { return slices.Contains(h, strings.ToLower(host)) }

// validHost accepts a DNS name or address with an optional port.
func validHost(s string) bool {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Host != s || u.Hostname() == "" {
		return false
	}
	return net.ParseIP(u.Hostname()) == nil || hostname.IsLoopback(u.Hostname())
}
