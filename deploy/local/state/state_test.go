package state_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/deploy/local/state"
)

func open(t *testing.T) state.Dir {
	t.Helper()
	dir, err := state.Open(filepath.Join(t.TempDir(), ".local"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestASecretStaysTheSameAndPrivate(t *testing.T) {
	dir := open(t)
	path, first, err := dir.Secret("token", state.Hex(33))
	if err != nil {
		t.Fatal(err)
	}
	again, second, err := dir.Secret("token", state.Hex(33))
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(dir.Path("secrets", "token"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, value, err := dir.Secret("token", state.Base64(32)); err != nil || len(value) != 44 {
		t.Errorf("%q, %v", value, err)
	}
}

func TestASecondInstanceIsToldOfTheFirst(t *testing.T) {
	dir := open(t)
	unlock, err := dir.Lock()
	if err != nil {
		t.Fatal(err)
	}
	_, err = dir.Lock()
	if err == nil || !strings.Contains(err.Error(), "already running in this folder as process") || !strings.Contains(err.Error(), "kill") {
		t.Errorf("got %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(dir.Log(part), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.RotateLogs(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"small.log": true, "large.log": false, "large.log.old": true} {
		if _, err := os.Stat(dir.Path("log", name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFindRoot(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := state.FindRoot(deep); err == nil || !strings.Contains(err.Error(), "inside the repository") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.work"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if found, err := state.FindRoot(deep); err != nil || found != root {
		t.Errorf("%s, %v", found, err)
	}
}
