package github

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
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
// public GitHub, the API's own host for GitHub Enterprise Server.
func HostsFor(api *url.URL, more ...string) Hosts {
	own := strings.ToLower(api.Host)
	if own == publicAPI {
		own = publicDownloads
	}
	hosts := Hosts{own}
	for _, h := range more {
		hosts = append(hosts, strings.ToLower(h))
	}
	return hosts
}

// Allow reports whether a browser may be sent to rawURL: an absolute https URL
// without credentials or fragment on one of the hosts. Plain http is for
// loopback addresses alone, where the local stack keeps its stand-in.
func (h Hosts) Allow(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil || u.User != nil || u.Fragment != "" || u.Opaque != "" || len(rawURL) > 2048 {
		return false
	}
	if strings.ContainsFunc(rawURL, func(r rune) bool { return r <= ' ' || r == '\\' || r >= 0x7f }) {
		return false
	}
	if !h.has(u.Host) {
		return false
	}
	return u.Scheme == "https" || (u.Scheme == "http" && IsLoopback(u.Hostname()))
}

func (h Hosts) has(host string) bool { return slices.Contains(h, strings.ToLower(host)) }

// IsLoopback reports whether host, without a port, is this machine.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// validHost accepts a DNS name or address with an optional port.
func validHost(s string) bool {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Host != s || u.Hostname() == "" {
		return false
	}
	return net.ParseIP(u.Hostname()) == nil || IsLoopback(u.Hostname())
}
