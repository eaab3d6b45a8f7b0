package repo_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
)

const (
	maxMainLines = 15
	maxFileLines = 400
	maxTestLines = 600
)

// workspace asks the go command once for all tests.
var workspace = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOWORK").Output()
	return strings.TrimSpace(string(out)), err
})

func root(t *testing.T) string {
	t.Helper()
	file, err := workspace()
	if err != nil || file == "" {
		t.Fatalf("not in a workspace: %v", err)
	}
	return filepath.Dir(file)
}

// goFiles returns the hand-written Go files of the repository.
func goFiles(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.go")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	errtest.None(t, err)
	generated := regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	var files []string
	for _, name := range strings.Fields(string(out)) {
		path := filepath.Join(cmd.Dir, name)
		content, err := os.ReadFile(path)
		if err == nil && !generated.Match(content) {
			files = append(files, path)
		}
	}
	if len(files) < 50 {
		t.Fatalf("only %d Go files found", len(files))
	}
	return files
}

func lines(t *testing.T, path string) int {
	t.Helper()
	content, err := os.ReadFile(path)
	errtest.None(t, err)
	return bytes.Count(content, []byte("\n"))
}

func TestFilesStayShort(t *testing.T) {
	for _, path := range goFiles(t) {
		limit := maxFileLines
		if strings.HasSuffix(path, "_test.go") {
			limit = maxTestLines
		}
		if n := lines(t, path); n > limit {
			t.Errorf("%s has %d lines, the limit is %d: split it by meaning", path, n, limit)
		}
	}
}

func TestEveryBinaryIsItsNameAndItsConstructor(t *testing.T) {
	var mains []string
	for _, pattern := range []string{"services/*/cmd/*/main.go", "gateway/cmd/*/main.go"} {
		found, err := filepath.Glob(filepath.Join(root(t), pattern))
		errtest.None(t, err)
		mains = append(mains, found...)
	}
	if len(mains) != len(services.All())+1 {
		t.Errorf("found %d binaries, want the services and the gateway", len(mains))
	}
	for _, path := range mains {
		content, err := os.ReadFile(path)
		errtest.None(t, err)
		if n := lines(t, path); n > maxMainLines || !strings.Contains(string(content), "service.Main(") {
			t.Errorf("%s: %d lines; it must call service.Main in at most %d", path, n, maxMainLines)
		}
	}
}

func TestModulesAgreeOnTheLanguage(t *testing.T) {
	directive := regexp.MustCompile(`(?m)^go (.+)$`)
	var want string
	for _, name := range []string{"go.work", "proto/go.mod", "services/go.mod", "gateway/go.mod", "deploy/go.mod"} {
		content, err := os.ReadFile(filepath.Join(root(t), name))
		errtest.None(t, err)
		got := directive.FindString(string(content))
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s says %q, go.work says %q", name, got, want)
		}
	}
}

// TestTheImportLaw checks what the compiler cannot: which of our packages may
// know which others.
func TestTheImportLaw(t *testing.T) {
	const ours = "fledge.dev/"
	names, areas := services.Names(), areasOfTheGateway(t)
	for _, pkg := range list(t) {
		from := strings.TrimPrefix(pkg.ImportPath, ours)
		for _, imported := range append(append(pkg.Imports, pkg.TestImports...), pkg.XTestImports...) {
			to, mine := strings.CutPrefix(imported, ours)
			if !mine {
				continue
			}
			switch {
			case strings.HasPrefix(from, "proto/") && !strings.HasPrefix(to, "proto/"):
				t.Errorf("%s imports %s: contracts depend on nothing", from, to)
			case strings.HasPrefix(from, "services/platform/") && isService(to, names):
				t.Errorf("%s imports %s: the platform knows no service", from, to)
			case isService(from, names) && isService(to, names) && serviceOf(from) != serviceOf(to):
				t.Errorf("%s imports %s: services meet only in proto", from, to)
			case strings.HasPrefix(from, "gateway") && isService(to, names):
				t.Errorf("%s imports %s: the gateway speaks to services through proto", from, to)
			case areas[from] && areas[to] && from != to && slices.Contains(pkg.Imports, imported):
				t.Errorf("%s imports %s: areas of the gateway share route, and api puts them together", from, to)
			case !strings.HasPrefix(from, "deploy/") && to == "services":
				t.Errorf("%s imports %s: only deploy knows them all", from, to)
			case !strings.HasPrefix(from, "deploy/") && strings.HasPrefix(to, "deploy/"):
				t.Errorf("%s imports %s: the product does not know its local stack", from, to)
			case wall(from, to):
				t.Errorf("%s imports %s: deploy/README.md says which room may know which", from, to)
			}
		}
		if strings.HasPrefix(from, "deploy/") {
			continue
		}
		for _, imported := range pkg.Imports {
			if strings.HasSuffix(imported, "test") && strings.HasPrefix(imported, ours+"services/platform/") && !strings.HasSuffix(pkg.ImportPath, "test") {
				t.Errorf("%s imports the test kit %s outside of its tests", from, imported)
			}
		}
	}
}

// areasOfTheGateway are its packages that have routes, but for the one that puts them together.
func areasOfTheGateway(t *testing.T) map[string]bool {
	t.Helper()
	areas := map[string]bool{}
	for _, path := range goFiles(t) {
		folder, err := filepath.Rel(root(t), filepath.Dir(path))
		if err == nil && strings.HasPrefix(folder, "gateway/internal/") && strings.Contains(contentOf(t, path), "\nfunc Routes(") {
			areas[folder] = true
		}
	}
	if len(areas) < 5 {
		t.Fatalf("only %v are found", areas)
	}
	return areas
}

// known are the rooms of deploy that a room may know; those that are not named may know all.
var known = map[string][]string{"standins": {}, "mac": {}, "cluster": {}, "local": {"standins", "cluster"}}

// wall tells whether a package of deploy imports one from a room that its own may not know.
func wall(from, to string) bool {
	here, there := room(from), room(to)
	allowed, limited := known[here]
	return limited && there != "" && there != here && !slices.Contains(allowed, there)
}

// room is the folder below deploy that a package is in, "" outside of deploy.
func room(path string) string {
	inside, ok := strings.CutPrefix(path, "deploy/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(inside, "/")
	return name
}

func TestARoomOfDeployHasWalls(t *testing.T) {
	for _, step := range []struct {
		from, to string
		want     bool
	}{
		{"deploy/standins/oidc", "deploy/local/ports", true},
		{"deploy/standins", "deploy/test/harness/load", true},
		{"deploy/standins", "deploy/standins/oidc", false},
		{"deploy/standins", "services/platform/config", false},
		{"deploy/mac/cmd/mac", "deploy/mac", false},
		{"deploy/mac", "deploy/standins/loopback", true},
		{"deploy/local/stack", "deploy/standins/oidc", false},
		{"deploy/local/stack", "deploy/test/harness/stacktest", true},
		{"deploy/local", "deploy/bench/product", true},
		{"deploy/local", "deploy/mac", true},
		{"deploy/local/natsserver", "deploy/cluster/natsusers", false},
		{"deploy/cluster/natsusers", "deploy/local/natsserver", true},
		{"deploy/test/product/mac", "deploy/mac", false},
	} {
		if got := wall(step.from, step.to); got != step.want {
			t.Errorf("%s imports %s: %t", step.from, step.to, got)
		}
	}
}

func isService(path string, names []string) bool {
	for _, s := range names {
		if path == "services/"+s || strings.HasPrefix(path, "services/"+s+"/") {
			return true
		}
	}
	return false
}

func serviceOf(path string) string { return strings.Split(path, "/")[1] }

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports",
		"./proto/...", "./services/...", "./gateway/...", "./deploy/...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		errtest.None(t, dec.Decode(&p))
		pkgs = append(pkgs, p)
	}
	return pkgs
}

func TestPagesOnlyCompose(t *testing.T) {
	pages := 0
	err := filepath.WalkDir(filepath.Join(root(t), "web/src/app"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != "page.tsx" {
			return err
		}
		pages++
		if n := lines(t, path); n > 25 {
			t.Errorf("%s has %d lines: pages compose features, in at most 25", path, n)
		}
		return nil
	})
	if err != nil || pages == 0 {
		t.Fatalf("%d pages, %v", pages, err)
	}
}
