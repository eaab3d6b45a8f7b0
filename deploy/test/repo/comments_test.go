package repo_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	commentLine = regexp.MustCompile(`(?m)^\s*(?://|/?\*+|#|--)\s(.*)$`)
	// namedFile is one in a folder; a name alone may be of another program.
	namedFile = regexp.MustCompile(`[\w@().\[\]-]+(?:/[\w().\[\]-]+)+\.(?:go|tsx?|mjs|css|sql|ya?ml|json|md|proto|sh)\b`)
)

// TestCommentsNameFilesThatExist, by their path from the root or from any folder.
func TestCommentsNameFilesThatExist(t *testing.T) {
	all, ends := tracked(t), map[string]bool{}
	for _, file := range all {
		for rest, more := file, true; more; _, rest, more = strings.Cut(rest, "/") {
			ends[rest] = true
		}
	}
	found := 0
	for _, file := range tracked(t, "*.go", "*.ts", "*.tsx", "*.mjs", "*.css", "*.sql", "*.proto", "*.yaml", "*.sh", "*file") {
		for _, line := range commentLine.FindAllStringSubmatch(contentOf(t, filepath.Join(root(t), file)), -1) {
			for _, name := range namedFile.FindAllString(line[1], -1) {
				found++
				if name = strings.TrimLeft(name, "(./"); !ends[name] {
					t.Errorf("a comment of %s names %s, which does not exist", file, name)
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d names were found", found)
	}
}

// TestNothingCitesWhatIsNotHere: readers do not have the specification, and want the reason.
func TestNothingCitesWhatIsNotHere(t *testing.T) {
	cited := regexp.MustCompile(`(?i)\bspec(ification)?,? (sections?|chapters?) `)
	for _, file := range tracked(t, "*.go", "*.ts", "*.tsx", "*.sql", "*.proto", "*.yaml", "*.sh", "*.md") {
		if found := cited.FindString(contentOf(t, filepath.Join(root(t), file))); found != "" {
			t.Errorf("%s cites %q", file, found)
		}
	}
}
