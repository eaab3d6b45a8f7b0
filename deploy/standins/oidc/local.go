package oidc

import (
	"fmt"
	"net/url"

	"fledge.dev/deploy/standins/loopback"
	"fledge.dev/services/platform/hostname"
)

// requireLocalOrigin accepts only a bare origin on this machine or under a name that
// can be no public site's; in a network of its own, any.
func requireLocalOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil {
		return fmt.Errorf("oidc stand-in: site origin: %w", err)
	}
	bare := u.User == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
	if (u.Scheme != "http" && u.Scheme != "https") || !bare || !hostname.IsTest(u.Hostname()) && !loopback.Alone() {
		return fmt.Errorf("oidc stand-in: refusing site origin %q: people may only be sent back to this machine or a test name, such as http://localhost:8080 or https://fledge.test", origin)
	}
	return nil
}
