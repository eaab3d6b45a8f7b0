package repo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryPackageIsOnItsMap: the next README above a package names it, or it or a folder
// around it as `folder/`. The product's own programs have another test.
func TestEveryPackageIsOnItsMap(t *testing.T) {
	top, seen := root(t), map[string]bool{}
	for _, path := range goFiles(t) {
		dir := filepath.Dir(path)
		name, _ := filepath.Rel(top, dir)
		part, _, _ := strings.Cut(name, "/")
		if seen[dir] || part != "services" && part != "gateway" && part != "deploy" || part != "deploy" && filepath.Base(filepath.Dir(dir)) == "cmd" {
			continue
		}
		seen[dir] = true
		where := dir
		for !exists(filepath.Join(where, "README.md")) {
			where = filepath.Dir(where)
		}
		text, rel := contentOf(t, filepath.Join(where, "README.md")), strings.TrimPrefix(dir, where+"/")
		named := where == dir || strings.Contains(text, "`"+rel+"`")
		for folder := rel; folder != "." && !named; folder = filepath.Dir(folder) {
			named = strings.Contains(text, "`"+folder+"/`")
		}
		if !named {
			t.Errorf("%s/README.md does not say what %s is", strings.TrimPrefix(where, top+"/"), rel)
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d packages were found", len(seen))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
