package repo_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	errtest.None(t, err)
	return string(content)
}

// TestWorkflowsCallTargetsThatExist, name each action by a commit, and say what
// they may do.
func TestWorkflowsCallTargetsThatExist(t *testing.T) {
	makefile := contentOf(t, filepath.Join(root(t), "Makefile"))
	workflows, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*"))
	if err != nil || len(workflows) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	call := regexp.MustCompile(`(?m)(?:run:|\||&&|^)\s*make ([a-z0-9-]+)`)
	uses := regexp.MustCompile(`(?m)uses:\s*(\S+)(.*)$`)
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	calls := 0
	for _, workflow := range workflows {
		content := contentOf(t, workflow)
		name := filepath.Base(workflow)
		for _, m := range call.FindAllStringSubmatch(content, -1) {
			calls++
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s calls make %s, which there is not", name, m[1])
			}
		}
		for _, m := range uses.FindAllStringSubmatch(content, -1) {
			if own, ok := strings.CutPrefix(m[1], "./"); ok {
				if _, err := os.Stat(filepath.Join(root(t), own)); err != nil {
					t.Errorf("%s uses %s, which there is not", name, m[1])
				}
				continue
			}
			if !pinned.MatchString(m[1]) || !strings.Contains(m[2], "# v") {
				t.Errorf("%s uses %s: name the commit, and its version beside it", name, m[1])
			}
		}
		if !strings.Contains(content, "\npermissions:\n  contents: read\n") {
			t.Errorf("%s does not begin with the least permissions", name)
		}
		if !strings.Contains(content, "timeout-minutes:") {
			t.Errorf("%s may run for ever", name)
		}
	}
	if calls < 5 {
		t.Errorf("%d calls of make were found", calls)
	}
}

func TestOnlyWhatPassedTheTestsIsReleased(t *testing.T) {
	if !strings.Contains(contentOf(t, filepath.Join(root(t), ".github", "workflows", "release.yml")), "\n  publish:\n    needs: test\n") {
		t.Error("release.yml publishes what no test has seen")
	}
}

// TestWhatIsScannedIsWhatIsBuilt: `make scan` looks at Caddy and Kratos too, and the images
// have the same code as `make run`.
func TestWhatIsScannedIsWhatIsBuilt(t *testing.T) {
	deploy := filepath.Join(root(t), "deploy")
	tags := regexp.MustCompile(`caddyWithout = +"(.+)"`).FindStringSubmatch(contentOf(t, filepath.Join(deploy, "local", "prepare", "golang.go")))
	if tags == nil {
		t.Fatal("prepare does not say what Caddy is built without")
	}
	for file, builds := range map[string][]string{
		"images/scan/scan.sh":      {"known deploy/caddy -tags " + tags[1] + " . ", "GOFLAGS=-mod=mod known deploy/tools/kratos github.com/ory/kratos "},
		"images/web.Dockerfile":    {" -tags " + tags[1] + " "},
		"images/kratos.Dockerfile": {" -mod=mod ", "/out/kratos github.com/ory/kratos\n"},
	} {
		for _, build := range builds {
			if !strings.Contains(contentOf(t, filepath.Join(deploy, file)), build) {
				t.Errorf("deploy/%s has no %q", file, build)
			}
		}
	}
}

// TestAReleaseSignsEveryImage that deploy/images/build.sh knows.
func TestAReleaseSignsEveryImage(t *testing.T) {
	if !strings.Contains(contentOf(t, filepath.Join(root(t), ".github", "workflows", "release.yml")), "for name in $(deploy/images/build.sh --list); do") {
		t.Error("release.yml signs other images than build.sh builds")
	}
}

// TestAReleaseServesOpenPagesOfTheOneBefore, which may be a candidate: GitHub's latest release never is one.
func TestAReleaseServesOpenPagesOfTheOneBefore(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ +(previous=.+)\n +(make images .+)$`).FindStringSubmatch(contentOf(t, filepath.Join(root(t), ".github", "workflows", "release.yml")))
	if line == nil {
		t.Fatal("release.yml builds the images without the version before")
	}
	for published, want := range map[string]string{"v1.0.0-rc.1": "registry/web:1.0.0-rc.1", "v1.0.0": "registry/web:1.0.0", "": ""} {
		// GitHub lists the newest first; of what is published, only one that is no candidate is its latest.
		const gh = `gh() { case "$2 $*" in list*--exclude-drafts*--limit\ 1*) echo "$PUBLISHED";; *) return 1;; esac; }`
		run := exec.CommandContext(t.Context(), "bash", "-euc", gh+"\nmake() { echo \"$@\"; }\n"+line[1]+"\n"+line[2])
		run.Env = append(os.Environ(), "PUBLISHED="+published, "REGISTRY=registry", "GITHUB_REF_NAME=v1.0.1")
		out, err := run.CombinedOutput()
		if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "PREVIOUS="+want) {
			t.Errorf("after %q: %s, %v", published, out, err)
		}
	}
}

// TestNoticeNamesEveryDependency that a module or a package asks for itself, and no other.
// It names no versions, nor the major ones in the paths of Go modules, so that an update
// changes nothing there.
func TestNoticeNamesEveryDependency(t *testing.T) {
	major := regexp.MustCompile(`/v\d+$`)
	named, used := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(contentOf(t, filepath.Join(root(t), "NOTICE"))) {
		if f := strings.Fields(line); len(f) >= 3 && (f[0] == "Go" || f[0] == "npm") {
			named[f[0]+" "+f[1]] = true
		}
	}
	use := func(name, file string) {
		if used[name] = true; !named[name] {
			t.Errorf("NOTICE has no line for %s (%s)", name, file)
		}
	}
	for _, file := range tracked(t, "*go.mod", "*package.json") {
		if strings.HasSuffix(file, "go.mod") {
			for _, m := range modulesAskedFor(t, file) {
				if !strings.HasPrefix(m.Path, "fledge.dev/") {
					use("Go "+major.ReplaceAllString(m.Path, ""), file)
				}
			}
			continue
		}
		content := contentOf(t, filepath.Join(root(t), file))
		var pkg struct{ Dependencies, DevDependencies, OptionalDependencies map[string]string }
		if err := json.Unmarshal([]byte(content), &pkg); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, list := range []map[string]string{pkg.Dependencies, pkg.DevDependencies, pkg.OptionalDependencies} {
			for name := range list {
				use("npm "+name, file)
			}
		}
	}
	for name := range named {
		if !used[name] {
			t.Errorf("NOTICE names %s, which nothing asks for", name)
		}
	}
}

// TestNoProgramIsCommitted: nothing that people or tools wrote here comes near a mebibyte, pictures and lists included.
func TestNoProgramIsCommitted(t *testing.T) {
	const most = 1 << 20
	for _, file := range tracked(t) {
		info, err := os.Lstat(filepath.Join(root(t), file))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed so
		}
		errtest.None(t, err)
		if info.Size() > most {
			t.Errorf("%s has %d bytes: what is built goes into .local", file, info.Size())
		}
	}
}

// tracked are the files of the repository with such names.
func tracked(t *testing.T, names ...string) []string {
	t.Helper()
	list := append([]string{"-C", root(t), "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"}, names...)
	out, err := exec.Command("git", list...).Output()
	errtest.None(t, err)
	return strings.Fields(string(out))
}

type required struct {
	Path     string
	Indirect bool
}

// modulesAskedFor are those that a go.mod requires for its own packages, and those of
// its tools, which it calls indirect.
func modulesAskedFor(t *testing.T, file string) (asked []required) {
	t.Helper()
	out, err := exec.Command("go", "mod", "edit", "-json", filepath.Join(root(t), file)).Output()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var mod struct {
		Require []required
		Tool    []struct{ Path string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	ofTool := map[string]bool{}
	for _, tool := range mod.Tool {
		longest := ""
		for _, r := range mod.Require {
			if strings.HasPrefix(tool.Path+"/", r.Path+"/") && len(r.Path) > len(longest) {
				longest = r.Path
			}
		}
		if ofTool[longest] = true; longest == "" {
			t.Errorf("%s: no module has the tool %s", file, tool.Path)
		}
	}
	for _, r := range mod.Require {
		if !r.Indirect || ofTool[r.Path] {
			asked = append(asked, r)
		}
	}
	return asked
}

// TestAllGoOfOursIsLinted and tidied: the Makefile lists each module that has some.
func TestAllGoOfOursIsLinted(t *testing.T) {
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^GO_MODULES(?:_APART)? := (.+)$`).FindAllStringSubmatch(contentOf(t, filepath.Join(root(t), "Makefile")), -1) {
		for _, module := range strings.Fields(m[1]) {
			listed[filepath.Join(root(t), module)] = true
		}
	}
	modules := map[string]bool{}
	for _, file := range tracked(t, "*go.mod") {
		modules[filepath.Join(root(t), filepath.Dir(file))] = true
	}
	seen := map[string]bool{}
	for _, path := range goFiles(t) {
		dir := filepath.Dir(path)
		for !modules[dir] && dir != root(t) {
			dir = filepath.Dir(dir)
		}
		if !listed[dir] && !seen[dir] {
			t.Errorf("%s is in no list of modules in the Makefile, such as for %s", dir, path)
		}
		seen[dir] = true
	}
}
