package charttest

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"fledge.dev/deploy/cluster/natsusers"
	"fledge.dev/services/platform/errtest"
)

// TestNATSGivesTheSameRightsAsMakeRun: one table of permissions, rendered twice.
func TestNATSGivesTheSameRightsAsMakeRun(t *testing.T) {
	want, err := natsusers.Authorization(nil)
	errtest.None(t, err)
	for _, set := range []string{"local", "cluster"} {
		files := of[*corev1.Secret](render(t, set))["fledge-nats"].Data
		if string(files["users.conf"]) != want {
			t.Errorf("%s: other users than the services: make generate", set)
		}
		if !strings.Contains(string(files["nats.conf"]), "sync_interval: always") {
			t.Errorf("%s: acknowledged is not on the disk", set)
		}
	}
}
