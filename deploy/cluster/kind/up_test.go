package kind_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// up runs the script where only some programs are: those that it needs of any machine, and some that
// only write down how they were called.
func up(t *testing.T, clusters string, programs ...string) (calls []string, output string, err error) {
	t.Helper()
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	for _, name := range []string{"bash", "basename", "cat", "dirname", "env", "git", "grep", "mkdir", "rm"} {
		path, err := exec.LookPath(name)
		errtest.None(t, err)
		errtest.None(t, os.Symlink(path, filepath.Join(bin, name)))
	}
	const program = `#!/bin/bash
echo "${0##*/} $*" >>"$LOG"
case "$*" in "get clusters") echo "$CLUSTERS" ;; *"get secret"*) [ -n "$CLUSTERS" ] ;; esac
`
	for _, name := range programs {
		errtest.None(t, os.WriteFile(filepath.Join(bin, name), []byte(program), 0o755))
	}
	cmd := exec.CommandContext(t.Context(), "./up.sh")
	cmd.Env = []string{"PATH=" + bin, "HOME=" + t.TempDir(), "LOG=" + log, "CLUSTERS=" + clusters}
	out, err := cmd.CombinedOutput()
	content, readErr := os.ReadFile(log)
	if readErr != nil && !errors.Is(readErr, os.ErrNotExist) {
		t.Fatal(readErr)
	}
	return strings.Split(strings.TrimSpace(string(content)), "\n"), string(out), err
}

func TestWhatIsMissingIsSaidBeforeAnythingIsMade(t *testing.T) {
	calls, out, err := up(t, "", "go", "kubectl", "buildah")
	if err == nil || len(calls) != 1 || calls[0] != "" {
		t.Errorf("%v, called %q", err, calls)
	}
	for program, want := range map[string]bool{"kind": true, "helm": true, "docker": true, "go": false, "kubectl": false} {
		if strings.Contains(out, "\n  "+program+": ") != want {
			t.Errorf("whether %s is missing is not %t: %s", program, want, out)
		}
	}
}

func TestAClusterIsMadeAndLaterBroughtUpToDate(t *testing.T) {
	all := []string{"docker", "go", "kind", "helm", "kubectl"}
	calls, out, err := up(t, "", all...)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	inOrder(t, calls, "kind create cluster", "apply -f deploy/cluster/kind/traefik.yaml", "docker buildx build", "kind load docker-image fledge.test/fledge/web:dev",
		"go run ./deploy/cluster/cmd/clustercerts", "helm upgrade --install fledge", "rollout status deployment")
	loaded := 0
	for _, call := range calls {
		if strings.HasPrefix(call, "kind load docker-image ") {
			loaded++
		}
		if strings.Contains(call, "rollout restart") {
			t.Errorf("a new cluster: %s", call)
		}
	}
	if loaded != 9 {
		t.Errorf("%d images were loaded", loaded)
	}

	calls, out, err = up(t, "fledge", all...)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	inOrder(t, calls, "docker buildx build", "kind load docker-image", "helm upgrade --install", "rollout restart deployment", "rollout status deployment")
	for _, call := range calls {
		if strings.HasPrefix(call, "kind create") || strings.HasPrefix(call, "go run") {
			t.Errorf("a cluster that is there: %s", call)
		}
	}
}

// TestPodmanWillDo with buildah: images reach the nodes as files.
func TestPodmanWillDo(t *testing.T) {
	calls, out, err := up(t, "", "podman", "buildah", "go", "kind", "helm", "kubectl")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	inOrder(t, calls, "buildah build", "podman save --quiet --output .local/image.tar fledge.test/fledge/gateway:dev", "kind load image-archive", "helm upgrade")
}

func inOrder(t *testing.T, calls []string, wanted ...string) {
	t.Helper()
	rest := calls
	for _, want := range wanted {
		i := slices.IndexFunc(rest, func(call string) bool { return strings.Contains(call, want) })
		if i < 0 {
			t.Fatalf("no %q in its place of\n%s", want, strings.Join(calls, "\n"))
		}
		rest = rest[i+1:]
	}
}
