package charttest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"fledge.dev/gateway"
	"fledge.dev/services"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
)

// programs load their settings as they do when they start.
func programs() map[string]func(environ []string) (any, error) {
	all := map[string]func([]string) (any, error){
		"gateway": func(environ []string) (any, error) { return config.Load[gateway.Config](environ) },
		"kratos":  func(environ []string) (any, error) { return config.Load[kratosconfig.Config](environ) },
	}
	for _, service := range services.All() {
		all[service.Name] = service.Load
	}
	return all
}

// TestTheChartKnowsWhatTheServicesAre: those with a database, and what each calls.
func TestTheChartKnowsWhatTheServicesAre(t *testing.T) {
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	blocks := loaded.Values["services"].(map[string]any)
	for name, block := range blocks {
		if block.(map[string]any)["database"] == true && !slices.Contains(services.Names(), name) {
			t.Errorf("%s is not among the services", name)
		}
	}
	for _, service := range services.All() {
		block, _ := blocks[service.Name].(map[string]any)
		if block["database"] != service.Database || fmt.Sprint(block["calls"]) != fmt.Sprint(service.Calls) {
			t.Errorf("values.yaml has %v, %v for %s: it is %v, %v", block["database"], block["calls"], service.Name, service.Database, service.Calls)
		}
	}
}

// commandsRead are settings of a pod that only a command in it reads: export-account.
var commandsRead = map[string][]string{"identity": {"BILLING_ADDR", "SUPPORT_ADDR", "WAITLIST_ADDR", "RELEASES_ADDR"}}

// TestEveryServiceAcceptsItsSettings loads the settings of each pod, including the files
// of its secrets, with the code that the binaries run.
func TestEveryServiceAcceptsItsSettings(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		for name, load := range programs() {
			deployment := of[*appsv1.Deployment](objects)["fledge-"+name]
			pod, c := deployment.Spec.Template.Spec, deployment.Spec.Template.Spec.Containers[0]
			if name == "kratos" {
				c = pod.InitContainers[0]
			}
			mounted := mount(t, objects, pod, c)
			settings, err := load(environ(c, mounted))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			known := append(keys(t, settings), commandsRead[name]...)
			for _, env := range c.Env {
				key := env.Name
				if !slices.Contains(known, key) {
					key = strings.TrimSuffix(key, "_FILE")
				}
				if key != "GOMEMLIMIT" && !slices.Contains(known, key) {
					t.Errorf("%s: nothing reads %s", name, env.Name)
				}
			}
		}
	})
}

// TestMigrationsAcceptTheirSettings: a job has the settings of its service.
func TestMigrationsAcceptTheirSettings(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		if env := of[*appsv1.Deployment](objects)["fledge-billing"].Spec.Template.Spec.Containers[0].Env; !slices.ContainsFunc(objects, isJob) {
			if !slices.Contains(env, corev1.EnvVar{Name: "MIGRATE_ON_START", Value: "true"}) {
				t.Error("nobody migrates")
			}
			return
		}
		jobs := map[string]*corev1.PodTemplateSpec{}
		for _, o := range objects {
			if isJob(o) {
				jobs[strings.TrimSuffix(strings.TrimPrefix(o.name(), "fledge-"), "-migrate")] = o.pods()
			}
		}
		if len(jobs) != len(programs())-1 {
			t.Errorf("jobs for %v", slices.Sorted(maps.Keys(jobs)))
		}
		for name, pods := range jobs {
			c := containers(pods)[0]
			if _, err := programs()[name](environ(c, mount(t, objects, pods.Spec, c))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func isJob(o object) bool { return o.kind() == "Job" }

// environ is a container's environment, with the files of its volumes under root.
func environ(c corev1.Container, root string) []string {
	var environ []string
	for _, env := range c.Env {
		value := env.Value
		if strings.HasPrefix(value, "/run/") {
			value = root + value
		}
		environ = append(environ, env.Name+"="+value)
	}
	return environ
}

// mount writes the container's secrets as the kubelet would and returns the root.
func mount(t *testing.T, objects []object, pod corev1.PodSpec, c corev1.Container) string {
	t.Helper()
	root := t.TempDir()
	secrets := of[*corev1.Secret](objects)
	write := func(dir, secret string, items []corev1.KeyToPath) {
		if len(items) == 0 { // a certificate
			items = []corev1.KeyToPath{{Key: "tls.crt", Path: "tls.crt"}, {Key: "tls.key", Path: "tls.key"}, {Key: "ca.crt", Path: "ca.crt"}}
		}
		for _, item := range items {
			value, ok := samples[item.Key]
			if made := secrets[secret]; made != nil {
				content, there := made.Data[item.Key]
				value, ok = string(content), there
			}
			if !ok {
				t.Errorf("Secret %s has no %s", secret, item.Key)
			}
			value = strings.ReplaceAll(value, "sslrootcert=/run/", "sslrootcert="+root+"/run/")
			file := filepath.Join(root, dir, item.Path)
			errtest.None(t, os.MkdirAll(filepath.Dir(file), 0o700))
			errtest.None(t, os.WriteFile(file, []byte(value+"\n"), 0o600))
		}
	}
	for _, volume := range pod.Volumes {
		at := slices.IndexFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == volume.Name })
		switch {
		case at < 0:
		case volume.Secret != nil:
			write(c.VolumeMounts[at].MountPath, volume.Secret.SecretName, volume.Secret.Items)
		case volume.Projected != nil:
			for _, source := range volume.Projected.Sources {
				if source.Secret != nil {
					write(c.VolumeMounts[at].MountPath, source.Secret.Name, source.Secret.Items)
				}
			}
		}
	}
	return root
}

// keys lists the settings of a program.
func keys(t *testing.T, settings any) []string {
	t.Helper()
	var printed bytes.Buffer
	errtest.None(t, config.Print(&printed, settings))
	var keys []string
	for line := range strings.SplitSeq(printed.String(), "\n") {
		if key, _, found := strings.Cut(line, "="); found {
			keys = append(keys, key)
		}
	}
	return keys
}
