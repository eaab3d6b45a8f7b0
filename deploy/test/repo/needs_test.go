package repo_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// TestWhatTheTestsNeedIsSaidAtOnce: on a machine with some programs, by what they print, the script names those that are missing.
func TestWhatTheTestsNeedIsSaidAtOnce(t *testing.T) {
	const person, admin = "1000", "0"
	all := map[string]string{"git": "", "node": "v20.19.0", "npm": "", "gcc": "", "chromium": "", "id": person}
	with := func(changes map[string]string) map[string]string {
		programs := map[string]string{}
		for name, prints := range all {
			programs[name] = prints
		}
		for name, prints := range changes {
			if programs[name] = prints; prints == "-" {
				delete(programs, name)
			}
		}
		return programs
	}
	for name, test := range map[string]struct {
		programs map[string]string
		want     []string
	}{
		"all": {all, nil},
		"a Mac": {with(map[string]string{"gcc": "-", "clang": "", "chromium": "-",
			"Applications/Google Chrome.app/Contents/MacOS/Google Chrome": ""}), nil},
		"a Mac with Chromium": {with(map[string]string{"chromium": "-",
			"Applications/Chromium.app/Contents/MacOS/Chromium": ""}), nil},
		"other programs of the kind": {with(map[string]string{"gcc": "-", "clang": "", "chromium": "-", "google-chrome": ""}), nil},
		"nothing":                    {map[string]string{"id": person}, []string{"git (", "Node.js 20.19 ", "a C compiler", "Chromium"}},
		"no compiler and browser":    {with(map[string]string{"gcc": "-", "chromium": "-"}), []string{"a C compiler, for Go's race detector (Debian: apt-get install gcc libc6-dev)", "Chromium, "}},
		"no browser for make test":   {with(map[string]string{"chromium": "-"}), nil},
		"root on Debian":             {with(map[string]string{"gcc": "-", "chromium": "-", "apt-get": "", "id": admin}), nil},
		"root elsewhere":             {with(map[string]string{"gcc": "-", "id": admin}), []string{"a C compiler"}},
		"somebody on Debian":         {with(map[string]string{"gcc": "-", "apt-get": ""}), []string{"a C compiler"}},
		"an old Node":                {with(map[string]string{"node": "v20.18.3"}), []string{"Node.js 20.19 or newer with npm (https://nodejs.org): here is v20.18.3"}},
		"a new Node":                 {with(map[string]string{"node": "v24.0.1"}), nil},
		"Node without npm":           {with(map[string]string{"npm": "-"}), []string{"Node.js "}},
	} {
		bin := t.TempDir()
		for program, prints := range test.programs {
			path := filepath.Join(bin, program)
			errtest.None(t, os.MkdirAll(filepath.Dir(path), 0o755))
			errtest.None(t, os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\necho %s\n", prints), 0o755))
		}
		bash, err := exec.LookPath("bash")
		errtest.None(t, err)
		cmd := exec.CommandContext(t.Context(), bash, filepath.Join(root(t), "deploy", "test", "ci", "needs.sh"))
		if name != "no browser for make test" {
			cmd.Args = append(cmd.Args, "browser")
		}
		cmd.Env = []string{"PATH=" + bin, "APPLICATIONS=" + filepath.Join(bin, "Applications")}
		out, err := cmd.CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")[1:]
		if (err == nil) != (test.want == nil) || len(lines) != len(test.want) {
			t.Errorf("%s: %v, %s", name, err, out)
			continue
		}
		for i, want := range test.want {
			if !strings.HasPrefix(lines[i], "  "+want) {
				t.Errorf("%s: %q, want %q", name, lines[i], want)
			}
		}
	}
}
