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
	"sigs.k8s.io/yaml"

	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
)

// TestTheReadmesSecretsAreThoseThatPodsAskFor runs the README's commands as they stand, with samples
// for what an operator fills in, and starts every program's settings with the Secrets that they make.
func TestTheReadmesSecretsAreThoseThatPodsAskFor(t *testing.T) {
	objects := objectsOf(t, valuesWithoutOptions(t))
	made, statements := secretsOfReadme(t)
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
	for _, owner := range owners() {
		if !strings.Contains(statements, "CREATE DATABASE fledge_"+owner+" OWNER fledge_"+owner+" ") {
			t.Errorf("%s gets no database", owner)
		}
	}
}

// owners are the programs with a database.
func owners() []string {
	all := []string{"kratos"}
	for _, service := range services.All() {
		if service.Database {
			all = append(all, service.Name)
		}
	}
	return all
}

// TestTheReadmesScriptStopsWhereADatabaseIsNotMade, rather than making a Secret that names none.
func TestTheReadmesScriptStopsWhereADatabaseIsNotMade(t *testing.T) {
	dir := t.TempDir()
	out, err := runReadme(t, dir, "exit 1")
	if err == nil {
		t.Errorf("it went on:\n%s", out)
	}
	if calls := contentOf(t, dir+"/calls"); strings.Contains(calls, "fledge-identity") {
		t.Errorf("it made\n%s", calls)
	}
}

// TestTheReadmesScriptGoesOn where a run before has stopped: no password changes that a Secret has.
func TestTheReadmesScriptGoesOn(t *testing.T) {
	dir := t.TempDir()
	if out, err := runReadme(t, dir, "cat >>sql", "secret/fledge-shared", "secret/fledge-identity", "secret/fledge-kratos"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	calls, statements := contentOf(t, dir+"/calls"), contentOf(t, dir+"/sql")
	for _, owner := range []string{"shared", "identity", "kratos"} {
		if strings.Contains(calls, "fledge-"+owner+"\n") || strings.Contains(statements, "fledge_"+owner) {
			t.Errorf("it does %s again", owner)
		}
	}
	for _, owner := range owners() {
		if owner == "identity" || owner == "kratos" {
			continue
		}
		if !strings.Contains(calls, "fledge-"+owner+"\n") || !strings.Contains(statements, "ALTER ROLE fledge_"+owner+" ") {
			t.Errorf("it leaves %s out", owner)
		}
	}
}

// TestTheGuideLeavesOutWhatNoCommandMakes of the example's keys: a pod waits for each that its Secret lacks.
func TestTheGuideLeavesOutWhatNoCommandMakes(t *testing.T) {
	made, _ := secretsOfReadme(t)
	has := map[string]map[string][]byte{}
	for _, secret := range made {
		has[secret.Name] = secret.Data
	}
	var example struct {
		Services map[string]struct{ SecretKeys []string }
	}
	errtest.None(t, yaml.Unmarshal([]byte(contentOf(t, "testdata/production.yaml")), &example))
	guide := strings.Join(strings.Fields(contentOf(t, "../../deploy/docs/operations.md")), " ")
	for name, service := range example.Services {
		for _, key := range service.SecretKeys {
			if _, ok := has["fledge-"+name][key]; !ok && !strings.Contains(guide, "`services."+name+".secretKeys`, whose keys") {
				t.Errorf("%s of %s is made by no command, and the guide does not say so", key, name)
			}
		}
	}
}

// secretsOfReadme returns the Secrets that the README's script makes, and its SQL.
func secretsOfReadme(t *testing.T) (secrets []*corev1.Secret, statements string) {
	t.Helper()
	dir := t.TempDir()
	if out, err := runReadme(t, dir, "cat >>sql"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for call := range strings.SplitSeq(strings.TrimSpace(contentOf(t, dir+"/calls")), "\n\n") {
		words := strings.Split(call, "\n")
		if strings.Join(words[:3], " ") != "create secret generic" {
			t.Fatalf("kubectl %q", words)
		}
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: words[3]}, Data: map[string][]byte{}}
		for _, word := range words[4:] {
			how, pair, _ := strings.Cut(word, "=")
			key, value, _ := strings.Cut(pair, "=")
			if how == "--from-file" {
				value = contentOf(t, dir+"/"+value)
			}
			secret.Data[key] = []byte(value)
		}
		secrets = append(secrets, secret)
	}
	return secrets, contentOf(t, dir+"/sql")
}

// runReadme runs the README's script in dir, with a kubectl that writes down what it is told, does
// instead of psql what execs says, and has these Secrets.
func runReadme(t *testing.T, dir, execs string, has ...string) (output []byte, err error) {
	t.Helper()
	text := contentOf(t, filepath.Join(chartDir, "README.md"))
	_, script, _ := strings.Cut(text, "```bash\n")
	script, _, found := strings.Cut(script, "```\n")
	if !found {
		t.Fatal("the README has no script")
	}
	script = regexp.MustCompile(`[A-Z_]+=…`).ReplaceAllStringFunc(script, func(setting string) string {
		name := strings.TrimSuffix(setting, "=…")
		return name + "=" + samples[name]
	})
	// Arguments one a line: none has two.
	kubectl := "#!/bin/bash\ncase $1 in exec) " + execs + ";; get) cat made;; *) printf '%s\\n' \"$@\" '' >>calls;; esac\n"
	for name, content := range map[string]string{"kubectl": kubectl, "made": strings.Join(has, "\n"), "AuthKey_0123456789.p8": samples["APPLE_PRIVATE_KEY"]} {
		errtest.None(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700))
	}
	run := exec.CommandContext(t.Context(), "bash", "-c", script)
	run.Dir, run.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	return run.CombinedOutput()
}

// TestTheReadmesIssuersServeOneReleaseEach: each has an authority of its own, and the one of the
// workloads, whom all workloads trust, issues nothing else.
func TestTheReadmesIssuersServeOneReleaseEach(t *testing.T) {
	_, block, _ := strings.Cut(contentOf(t, filepath.Join(chartDir, "README.md")), "`issuer.yaml`, with")
	_, block, _ = strings.Cut(block, "```yaml\n")
	block, _, found := strings.Cut(block, "```\n")
	if !found {
		t.Fatal("the README has no issuer.yaml")
	}
	type issuer struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			SelfSigned *struct{} `json:"selfSigned"`
			CA         struct {
				SecretName string `json:"secretName"`
			} `json:"ca"`
		} `json:"spec"`
	}
	issuers, authorities, issued := map[string]issuer{}, map[string]bool{}, map[string]string{}
	for document := range strings.SplitSeq(block, "---\n") {
		var made issuer
		var cert certificate
		var err error
		if strings.Contains(document, "kind: Issuer\n") {
			err = yaml.UnmarshalStrict([]byte(document), &made)
			issuers[made.Name] = made
		} else {
			err = yaml.UnmarshalStrict([]byte(document), &cert)
			authorities[cert.Spec.SecretName] = cert.Spec.IsCA
			issued[cert.Name] = cert.Spec.IssuerRef.Name
		}
		if err != nil {
			t.Errorf("%v\n%s", err, document)
		}
	}
	workloads := valuesOf(t, sets["production"]...)["tls"].(map[string]any)["issuerRef"].(map[string]any)["name"].(string)
	if issuers[workloads].Spec.CA.SecretName == "" {
		t.Errorf("there is no issuer %s, as production.yaml has it", workloads)
	}
	for name, by := range issued {
		if _, ok := issuers[by]; !ok || by == workloads {
			t.Errorf("%s is issued by %s", name, by)
		}
	}
	for name, made := range issuers {
		if made.Spec.SelfSigned == nil && !authorities[made.Spec.CA.SecretName] {
			t.Errorf("the authority of %s is not made", name)
		}
	}
}
