package charttest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"fledge.dev/deploy/local/natsserver"
)

// TestNATSGivesTheSameRightsAsMakeRun: one table of who may publish and read what,
// rendered twice.
func TestNATSGivesTheSameRightsAsMakeRun(t *testing.T) {
	options := natsserver.Options{Users: []natsserver.User{
		{Service: "identity", Consumes: []string{"identity", "waitlist", "releases", "support"}},
		{Service: "billing"}, {Service: "waitlist", Consumes: []string{"waitlist"}}, {Service: "support"}, {Service: "releases"},
	}}
	local, err := options.Config()
	if err != nil {
		t.Fatal(err)
	}
	want := rights(string(local))
	for _, set := range []string{"local", "cluster"} {
		files := of[*corev1.Secret](render(t, set))["fledge-nats"].Data
		config := string(files["nats.conf"])
		if got := rights(string(files["users.conf"])); len(got) != 5 || !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: %v, want %v", set, got, want)
		}
		if !strings.Contains(config, "sync_interval: always") {
			t.Errorf("%s: acknowledged is not on the disk", set)
		}
	}
}

// rights are the quoted subjects in a configuration, by user.
func rights(config string) map[string][]string {
	found := map[string][]string{}
	user := ""
	for line := range strings.Lines(config) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "user: "); ok {
			user = strings.Trim(name, `"`)
			continue
		}
		if user != "" && (strings.HasPrefix(line, `"`) || strings.HasPrefix(line, "subscribe:")) {
			found[user] = append(found[user], line)
		}
	}
	return found
}
