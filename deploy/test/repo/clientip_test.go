package repo_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTheDoorReadsAddressesAsTheGatewayDoes: the front door is a module of its own and repeats the gateway's rule; both
// are held to the same cases.
func TestTheDoorReadsAddressesAsTheGatewayDoes(t *testing.T) {
	for files, part := range map[[2]string][2]string{
		{"gateway/internal/clientip/clientip.go", "deploy/caddy/door/client.go"}:           {"func parse(", "\n}\n"},
		{"gateway/internal/clientip/clientip_test.go", "deploy/caddy/door/client_test.go"}: {"range map[string]struct", "\n\t} {\n"},
	} {
		var texts [2]string
		for i, name := range files {
			_, rest, _ := strings.Cut(contentOf(t, filepath.Join(root(t), name)), part[0])
			text, _, found := strings.Cut(rest, part[1])
			if !found {
				t.Fatalf("%s has no %q", name, part[0])
			}
			texts[i] = text
		}
		if texts[0] != texts[1] {
			t.Errorf("%s differs from %s", files[1], files[0])
		}
	}
}
