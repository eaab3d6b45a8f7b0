package oidc

import (
	"fmt"
	"net/url"

	"fledge.dev/deploy/local/standins/loopback"
)

// requireLocalOrigin accepts only a bare http origin on this machine.
func requireLocalOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil {
		return fmt.Errorf("oidc stand-in: site origin: %w", err)
	}
	bare := u.User == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
	if u.Scheme != "http" || !bare || !loopback.IsHost(u.Hostname()) {
		return fmt.Errorf("oidc stand-in: refusing site origin %q: people may only be sent back to this machine, such as http://localhost:8080", origin)
	}
	return nil
}
