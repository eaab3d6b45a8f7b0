package repo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheGatewayCallsNoMethodByName, not even in code of others that it reaches: for that the linker keeps
// every method, and the program is a half larger.
func TestTheGatewayCallsNoMethodByName(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the gateway as its image has it, with nothing cached: `make test-long`")
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags=nomsgpack,grpcnotrace", "-ldflags=-s -w -dumpdep",
		"-o", filepath.Join(t.TempDir(), "gateway"), "./gateway/cmd/gateway")
	build.Dir, build.Env = root(t), append(os.Environ(), "CGO_ENABLED=0")
	reached, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, reached)
	}
	if !strings.Contains(string(reached), "main.main -> ") {
		t.Fatalf("the linker does not say what is reached:\n%.1000s", reached)
	}
	if by := regexp.MustCompile(`(?m)^.* -> .* <ReflectMethod>$`).FindAllString(string(reached), 10); by != nil {
		t.Errorf("methods are called by name:\n%s", strings.Join(by, "\n"))
	}
}
