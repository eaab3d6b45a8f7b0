package caddy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// TestWhileDevelopingTheSamePathsLeadElsewhere: what is the gateway's in production, and the
// run-time settings, are not `next dev`'s.
func TestWhileDevelopingTheSamePathsLeadElsewhere(t *testing.T) {
	_, caddyfile := built(t)
	var lists [][]string
	for _, file := range []string{caddyfile, filepath.Join(filepath.Dir(caddyfile), "dev.Caddyfile")} {
		content, err := os.ReadFile(file)
		errtest.None(t, err)
		var paths []string
		for _, found := range regexp.MustCompile(`(?m)^\t(?:@api path|@site not path|handle) (/.*?)(?: \{)?$`).FindAllStringSubmatch(string(content), -1) {
			paths = append(paths, strings.Fields(found[1])...)
		}
		slices.Sort(paths)
		lists = append(lists, slices.Compact(paths))
	}
	if len(lists[0]) < 4 || !slices.Equal(lists[0], lists[1]) {
		t.Errorf("in production %v, while developing %v", lists[0], lists[1])
	}
}
