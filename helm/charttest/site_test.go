package charttest

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"fledge.dev/services/platform/errtest"
)

func contentOf(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	errtest.None(t, err)
	return string(content)
}

// isGolden compares what was made with the file of what is expected; UPDATE=1 writes that.
func isGolden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		errtest.None(t, os.WriteFile(file, []byte(got), 0o644))
	}
	is, must := slices.Collect(strings.Lines(contentOf(t, file))), slices.Collect(strings.Lines(got))
	without := func(lines, others []string) []string {
		return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
	}
	if !slices.Equal(is, must) {
		t.Errorf("%s lacks %q, and has %q that is not so: UPDATE=1 writes it", file, without(must, is), without(is, must))
	}
}

// siteEnv are the values of the production-shaped site, with which the front door's test of
// an installation (deploy/local/caddy) serves the real export. UPDATE=1 writes it.
const siteEnv = "testdata/site.env"

// TestTheSiteHasAllValuesOfItsInstallation: web gets each value that the pages are filled
// with, and no page with those of production names anybody else.
func TestTheSiteHasAllValuesOfItsInstallation(t *testing.T) {
	var read []string
	for _, name := range regexp.MustCompile(`Getenv\("(FLEDGE_[A-Z_]+)"\)`).FindAllStringSubmatch(contentOf(t, "../../deploy/caddy/site/values.go"), -1) {
		read = append(read, name[1])
	}
	values := valuesOf(t, sets["production"]...)
	// Theirs is a domain of examples, which a page may not name.
	values["site"].(map[string]any)["origin"] = "https://www.fledge.dev"
	var lines, set []string
	for _, env := range of[*appsv1.Deployment](objectsOf(t, values))["fledge-web"].Spec.Template.Spec.Containers[0].Env {
		if slices.Contains(read, env.Name) {
			set = append(set, env.Name)
			lines = append(lines, env.Name+"="+env.Value+"\n")
		}
	}
	slices.Sort(lines)
	slices.Sort(read)
	slices.Sort(set)
	if !slices.Equal(set, read) {
		t.Errorf("the program reads %v, the chart sets %v", read, set)
	}
	isGolden(t, siteEnv, strings.Join(lines, ""))
}

// TestTheSiteIsWrittenToAVolume: it is the only place that web writes to, beside /tmp.
func TestTheSiteIsWrittenToAVolume(t *testing.T) {
	root := regexp.MustCompile(`FLEDGE_WEB_ROOT=(\S+)`).FindStringSubmatch(contentOf(t, "../../deploy/images/web.Dockerfile"))
	if root == nil {
		t.Fatal("the image does not say where the site is written to")
	}
	eachSet(t, func(t *testing.T, objects []object) {
		pod := of[*appsv1.Deployment](objects)["fledge-web"].Spec.Template.Spec
		var writable []string
		for _, mount := range pod.Containers[0].VolumeMounts {
			at := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
			if !mount.ReadOnly && at >= 0 && pod.Volumes[at].EmptyDir != nil {
				writable = append(writable, mount.MountPath)
			}
		}
		slices.Sort(writable)
		// The folder itself is replaced, which a mount cannot be.
		if got := strings.Join(writable, " "); got != path.Dir(root[1])+" /tmp" {
			t.Errorf("web can write to %s, and the site is %s", got, root[1])
		}
	})
}

// TestReplicasOfTheSiteFindEachOther, also those that are starting or ending: a pod of the
// version that goes has the scripts of the pages that it served.
func TestReplicasOfTheSiteFindEachOther(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		peers := of[*corev1.Service](objects)["fledge-web-peers"]
		if peers == nil || peers.Spec.ClusterIP != corev1.ClusterIPNone || !peers.Spec.PublishNotReadyAddresses || len(peers.Spec.Ports) != 1 {
			t.Fatalf("%v", peers)
		}
		env := of[*appsv1.Deployment](objects)["fledge-web"].Spec.Template.Spec.Containers[0].Env
		if !slices.Contains(env, corev1.EnvVar{Name: "FLEDGE_PEERS", Value: "fledge-web-peers:8080"}) {
			t.Errorf("%v", env)
		}
		hosts := strings.Fields(env[slices.IndexFunc(env, func(e corev1.EnvVar) bool { return e.Name == "FLEDGE_HOSTS" })].Value)
		if !slices.Contains(hosts, "fledge-web."+namespace+".svc.cluster.local") {
			t.Errorf("not by its full name in the cluster: %v", hosts)
		}
	})
}
