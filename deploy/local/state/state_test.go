package state_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/deploy/local/state"
	"fledge.dev/services/platform/errtest"
)

func open(t *testing.T) state.Dir {
	t.Helper()
	dir, err := state.Open(filepath.Join(t.TempDir(), ".local"))
	errtest.None(t, err)
	return dir
}

func TestASecretStaysTheSameAndPrivate(t *testing.T) {
	dir := open(t)
	path, first, err := dir.Secret("token", state.Hex(33))
	errtest.None(t, err)
	again, second, err := dir.Secret("token", state.Hex(33))
	errtest.None(t, err)
	if len(first) != 33 || first != second || path != again {
		t.Errorf("first %q, then %q", first, second)
	}
	if _, other, _ := dir.Secret("other", state.Hex(33)); other == first {
		t.Error("two secrets are the same")
	}
	for file, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", filepath.Base(file), info.Mode(), err, want)
		}
	}
}

func TestASecretThatACrashLeftEmptyIsMadeAgain(t *testing.T) {
	dir := open(t)
	errtest.None(t, os.WriteFile(dir.Path("secrets", "token"), nil, 0o600))
	if _, value, err := dir.Secret("token", state.Base64(32)); err != nil || len(value) != 44 {
		t.Errorf("%q, %v", value, err)
	}
}

func TestASecondInstanceIsToldOfTheFirst(t *testing.T) {
	dir := open(t)
	unlock, err := dir.Lock()
	errtest.None(t, err)
	_, err = dir.Lock()
	if err == nil || !strings.Contains(err.Error(), "already running in this folder as process") || !strings.Contains(err.Error(), "kill") {
		t.Errorf("got %v", err)
	}
	errtest.None(t, unlock())
	unlock, err = dir.Lock()
	if err != nil {
		t.Fatalf("after the first ended: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

func TestRequireSpaceNamesTheMend(t *testing.T) {
	if err := state.RequireSpace(t.TempDir(), 1, "a byte"); err != nil {
		t.Error(err)
	}
	err := state.RequireSpace(t.TempDir(), math.MaxUint64, "the universe")
	if err == nil || !strings.Contains(err.Error(), "not enough disk space: the universe needs") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestOnlyLargeLogsAreRotated(t *testing.T) {
	dir := open(t)
	for part, size := range map[string]int{"small": 10, "large": 6 << 20} {
		errtest.None(t, os.WriteFile(dir.Log(part), make([]byte, size), 0o600))
	}
	errtest.None(t, dir.RotateLogs())
	for name, want := range map[string]bool{"small.log": true, "large.log": false, "large.log.old": true} {
		if _, err := os.Stat(dir.Path("log", name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFindRoot(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	errtest.None(t, os.MkdirAll(deep, 0o755))
	if _, err := state.FindRoot(deep); err == nil || !strings.Contains(err.Error(), "inside the repository") {
		t.Errorf("got %v", err)
	}
	errtest.None(t, os.WriteFile(filepath.Join(root, "go.work"), nil, 0o644))
	if found, err := state.FindRoot(deep); err != nil || found != root {
		t.Errorf("%s, %v", found, err)
	}
}
