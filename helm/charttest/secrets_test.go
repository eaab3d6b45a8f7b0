package charttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestTheReadmesSecretsAreThoseThatPodsAskFor runs the README's commands as they stand, with samples
// for what an operator fills in, and starts every program's settings with the Secrets that they make.
func TestTheReadmesSecretsAreThoseThatPodsAskFor(t *testing.T) {
	values := valuesOf(t, sets["production"]...)
	delete(values["services"].(map[string]any), "support") // the example of a mailbox, which is an option
	delete(values["mail"].(map[string]any), "in")
	manifests, err := renderValues(values, false)
	if err != nil {
		t.Fatal(err)
	}
	objects := parse(t, manifests)
	made, statements := runReadme(t)
	for _, secret := range made {
		objects = append(objects, object{typed: secret})
	}
	for name, load := range programs() {
		pod := of[*appsv1.Deployment](objects)["fledge-"+name].Spec.Template.Spec
		c := pod.Containers[0]
		if name == "kratos" {
			c = pod.InitContainers[0]
		}
		if _, err := load(environ(c, mount(t, objects, pod, c))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for owner, block := range values["services"].(map[string]any) {
		owns := owner == "kratos" || block.(map[string]any)["database"] == true
		if owns != strings.Contains(statements, "CREATE DATABASE fledge_"+owner+" OWNER fledge_"+owner+" ") {
			t.Errorf("%s owns a database: %v", owner, owns)
		}
	}
}

// runReadme returns the Secrets that the README's script makes, and its SQL.
func runReadme(t *testing.T) ([]*corev1.Secret, string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(chartDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(text), "```bash\n")
	script, _, found := strings.Cut(script, "```\n")
	if !found {
		t.Fatal("the README has no script")
	}
	script = regexp.MustCompile(`([A-Z_]+)=…`).ReplaceAllStringFunc(script, func(setting string) string {
		return setting[:len(setting)-len("…")] + samples[setting[:len(setting)-len("=…")]]
	})
	dir := t.TempDir()
	// Arguments one a line: none of the values has one with two.
	kubectl := "#!/bin/bash\nif [ \"$1\" = exec ]; then cat >>" + dir + "/sql; else printf '%s\\n' \"$@\" '' >>" + dir + "/calls; fi\n"
	for name, content := range map[string]string{"kubectl": kubectl, "AuthKey_0123456789.p8": samples["APPLE_PRIVATE_KEY"]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.CommandContext(t.Context(), "bash", "-c", script)
	run.Dir, run.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	statements, err := os.ReadFile(filepath.Join(dir, "sql"))
	if err != nil {
		t.Fatal(err)
	}
	var secrets []*corev1.Secret
	for call := range strings.SplitSeq(strings.TrimSpace(string(calls)), "\n\n") {
		words := strings.Split(call, "\n")
		if strings.Join(words[:3], " ") != "create secret generic" {
			t.Fatalf("kubectl %q", words)
		}
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: words[3]}, Data: map[string][]byte{}}
		for _, word := range words[4:] {
			how, pair, _ := strings.Cut(word, "=")
			key, value, _ := strings.Cut(pair, "=")
			if how == "--from-file" {
				content, err := os.ReadFile(filepath.Join(dir, value))
				if err != nil {
					t.Fatal(err)
				}
				value = string(content)
			}
			secret.Data[key] = []byte(value)
		}
		secrets = append(secrets, secret)
	}
	return secrets, string(statements)
}
