package signin

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fledge.dev/deploy/local/state"
	"fledge.dev/services/platform/errtest"
)

func repository(t *testing.T) string {
	t.Helper()
	root, err := state.FindRoot(".")
	errtest.None(t, err)
	return root
}

// kratosBinary is FLEDGE_KRATOS_BIN or, without it, the newest that the local stack built.
func kratosBinary(t *testing.T, root string) string {
	t.Helper()
	if path := os.Getenv("FLEDGE_KRATOS_BIN"); path != "" {
		return path
	}
	built, err := filepath.Glob(filepath.Join(root, ".local", "bin", "kratos-*"))
	if err != nil || len(built) == 0 {
		t.Fatal("no Kratos: set FLEDGE_KRATOS_BIN, or let `make test-go` build it")
	}
	return slices.MaxFunc(built, func(a, b string) int { return modified(t, a).Compare(modified(t, b)) })
}

func modified(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	errtest.None(t, err)
	return info.ModTime()
}

// showLog prints what Kratos said if the test fails.
func showLog(t *testing.T, file string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			content, _ := os.ReadFile(file)
			t.Logf("Kratos said:\n%s", content)
		}
	})
}
