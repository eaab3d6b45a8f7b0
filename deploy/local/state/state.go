// Package state is the folder in which the local stack keeps data, logs, generated secrets
// and built tools. Deleting the folder resets everything.
package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is a state folder. Its methods return paths inside it.
type Dir string

// Open makes the folder and its parts.
func Open(path string) (Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("state: %w", err)
	}
	d := Dir(abs)
	for dir, mode := range map[string]fs.FileMode{
		d.Path(): 0o755, d.Path("bin"): 0o755, d.Path("log"): 0o755, d.Path("run"): 0o755, d.Path("secrets"): 0o700,
	} {
		if err := os.MkdirAll(dir, mode); err != nil {
			return "", fmt.Errorf("state: %w", err)
		}
	}
	return d, nil
}

// Path joins names to the folder.
func (d Dir) Path(names ...string) string {
	return filepath.Join(append([]string{string(d)}, names...)...)
}

// Make makes folders for parts.
func (d Dir) Make(names ...string) error {
	for _, name := range names {
		if err := os.MkdirAll(d.Path(name), 0o755); err != nil {
			return fmt.Errorf("state: %w", err)
		}
	}
	return nil
}

// Log is the file that takes a part's output.
func (d Dir) Log(part string) string { return d.Path("log", part+".log") }

// PIDFile records a part that runs as a process of its own.
func (d Dir) PIDFile(part string) string { return d.Path("run", part+".pid") }

// maxLog is how large a part's log may be when a run begins.
const maxLog = 5 << 20

// RotateLogs keeps one older copy of every log that has grown large.
func (d Dir) RotateLogs() error {
	logs, err := filepath.Glob(d.Path("log", "*.log"))
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	var errs []error
	for _, log := range logs {
		if info, err := os.Stat(log); err == nil && info.Size() > maxLog {
			errs = append(errs, os.Rename(log, log+".old"))
		}
	}
	return errors.Join(errs...)
}

// FindRoot walks up from dir to the repository's root, where go.work lies.
func FindRoot(dir string) (string, error) {
	for current, err := filepath.Abs(dir); err == nil; current = filepath.Dir(current) {
		if _, err := os.Stat(filepath.Join(current, "go.work")); err == nil {
			return current, nil
		}
		if filepath.Dir(current) == current {
			break
		}
	}
	return "", fmt.Errorf("no go.work in %s or above: run this inside the repository", dir)
}
