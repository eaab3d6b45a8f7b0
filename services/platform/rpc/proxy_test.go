package rpc_test

import (
	"errors"
	"testing"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/proxytest"
	"fledge.dev/services/platform/rpc"
)

// TestServicesAreNotCalledThroughAProxy: the proxy of an environment is for the way out of
// the cluster.
func TestServicesAreNotCalledThroughAProxy(t *testing.T) {
	asked := proxytest.Asked(t, func() {
		for _, target := range []string{"dns:///identity.invalid:9000", "identity.invalid:9000", "a.invalid:9000,b.invalid:9000"} {
			_, err := dial(t, target, rpc.ClientConfig{}).GetUser(t.Context(), &identityv1.GetUserRequest{})
			if !errors.Is(err, fault.Unavailable) {
				t.Errorf("%s: %v", target, err)
			}
		}
	})
	if len(asked) > 0 {
		t.Errorf("a proxy was asked for %v", asked)
	}
}
