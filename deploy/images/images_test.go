// Package images_test runs the scripts that build images with a buildah that only notes how it is called.
package images_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

const buildah = `#!/bin/bash
echo "$*" >>"$LOG"
for last in "$@"; do :; done
case $1 in
  inspect) echo "${ID:-$last}" ;;
  push) path=${last#oci-archive:} && echo "$last" >"${path%%:*}" ;;
esac
`

func run(t *testing.T, script string, env []string, args ...string) (output, calls string, err error) {
	t.Helper()
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	for name, program := range map[string]string{"buildah": buildah, "docker": "#!/bin/sh\nexit 1\n"} {
		errtest.None(t, os.WriteFile(filepath.Join(bin, name), []byte(program), 0o755))
	}
	cmd := exec.CommandContext(t.Context(), script, args...)
	cmd.Env = append(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "LOG="+log), env...)
	out, err := cmd.CombinedOutput()
	content, readErr := os.ReadFile(log)
	if readErr != nil {
		t.Fatal(readErr, string(out))
	}
	return string(out), string(content), err
}

func TestTwoBuildsAreCompared(t *testing.T) {
	out, calls, err := run(t, "./reproducible.sh", []string{"ID=0123"}, "gateway")
	if err != nil || !strings.Contains(out, "equal: gateway 0123") {
		t.Errorf("%v: %s", err, out)
	}
	times := regexp.MustCompile(`(?m)^build .*--timestamp (\d{9,}) `).FindAllStringSubmatch(calls, -1)
	if len(times) != 2 || times[0][1] != times[1][1] || strings.Count(calls, "--no-cache") != 1 {
		t.Errorf("builds at %q: %s", times, calls)
	}
	if out, _, err := run(t, "./reproducible.sh", nil, "gateway"); err == nil || !strings.Contains(out, "differs: gateway") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestNoArgumentNamesAStage: Debian's buildah would look for it in a registry.
func TestNoArgumentNamesAStage(t *testing.T) {
	files, err := filepath.Glob("*.Dockerfile")
	errtest.None(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		errtest.None(t, err)
		for _, stage := range regexp.MustCompile(`(?m)^FROM .* AS (\S+)$`).FindAllStringSubmatch(string(content), -1) {
			if regexp.MustCompile(`(?m)^ARG .*=` + stage[1] + `$`).Match(content) {
				t.Errorf("%s: an argument is the stage %s", file, stage[1])
			}
		}
	}
}

// TestABundleIsWhole: it has the chart and all images of the chart's version, and its checksums are right.
func TestABundleIsWhole(t *testing.T) {
	if version, _ := exec.CommandContext(t.Context(), "tar", "--version").Output(); !strings.Contains(string(version), "GNU") {
		t.Skip("tar is not GNU's")
	}
	dir := t.TempDir()
	if out, _, err := run(t, "./bundle.sh", []string{"ID=sha256:0123", "BUNDLE_DIR=" + dir}); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "bash", "-euc", `cd "$0" && tar -xf fledge-*.tar && cd fledge-*/ && sha256sum --quiet --check SHA256SUMS
		tar -xzOf fledge-*.tgz fledge/Chart.yaml | grep ^version: && wc -l <SHA256SUMS && cat images.txt`, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	version := strings.TrimPrefix(lines[0], "version: ")
	images := lines[2:]
	for _, want := range []string{"fledge.test/fledge/gateway:" + version, "fledge.test/fledge/web:" + version, "fledge.test/fledge/kratos:" + version, "docker.io/library/postgres:", "docker.io/library/nats:"} {
		if !strings.Contains("\n"+string(out), "\n"+want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	if len(images) != 11 || lines[1] != "13" || !strings.HasSuffix(images[0], "@sha256:0123 images/gateway.tar") {
		t.Errorf("%s checksums for %q", lines[1], images)
	}
	t.Run("without others' images", func(t *testing.T) {
		_, calls, err := run(t, "./bundle.sh", []string{"OURS=1", "BUNDLE_DIR=" + dir}, "gateway")
		if err != nil || strings.Contains(calls, "pull ") || strings.Count(calls, "push ") != 1 {
			t.Errorf("%v: %s", err, calls)
		}
	})
}
