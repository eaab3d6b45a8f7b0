// Package hostname tells internal host names (this machine, a cluster, test domains) from
// names of the internet. Hosts come without a port, and IPv6 addresses without brackets.
package hostname

import (
	"net/netip"
	"regexp"
	"strings"
)

// IsLoopback reports whether host is this machine. A name other than localhost
// might resolve to something else tomorrow.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// IsTest reports whether host is loopback or a name that can never be a public
// site's: one under .localhost or .test (RFC 6761, sections 6.2 and 6.3).
func IsTest(host string) bool {
	return IsLoopback(host) || isUnder(host, ".localhost", ".test")
}

// IsCluster reports whether host is a name that only a Kubernetes cluster's own
// DNS knows: "name", "name.namespace.svc" or "name.namespace.svc.cluster.local".
func IsCluster(host string) bool {
	if isUnder(host, ".svc", ".svc.cluster.local") {
		return true
	}
	return label.MatchString(host) && !IsLoopback(host)
}

// label is a service's name (RFC 1035): it begins with a letter, so that no form of
// an address is one.
var label = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// isUnder leaves names with a final dot alone: browsers and certificates read
// them in different ways.
func isUnder(host string, suffixes ...string) bool {
	host = strings.ToLower(host)
	for _, suffix := range suffixes {
		if name, found := strings.CutSuffix(host, suffix); found && name != "" && !strings.HasPrefix(name, ".") {
			return true
		}
	}
	return false
}
