package charttest

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"fledge.dev/deploy/local/natsserver"
)

// TestNATSGivesTheSameRightsAsMakeRun: one table of permissions, rendered twice.
func TestNATSGivesTheSameRightsAsMakeRun(t *testing.T) {
	var users []natsserver.User
	for _, rights := range natsserver.Services() {
		users = append(users, natsserver.User{Rights: rights})
	}
	want, err := natsserver.Authorization(users)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"local", "cluster"} {
		files := of[*corev1.Secret](render(t, set))["fledge-nats"].Data
		if string(files["users.conf"]) != want {
			t.Errorf("%s: other users than natsserver.Services: go run ./deploy/cluster/cmd/natsusers > helm/fledge/files/nats-users.conf", set)
		}
		if !strings.Contains(string(files["nats.conf"]), "sync_interval: always") {
			t.Errorf("%s: acknowledged is not on the disk", set)
		}
	}
}
