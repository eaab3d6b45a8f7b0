package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
)

// oldestMajor is the first PostgreSQL that the services' SQL runs on.
const oldestMajor = 18

// BinEnv names a directory with initdb and postgres that goes before all others.
const BinEnv = "FLEDGE_POSTGRES_BIN"

// Package is the npm package that carries PostgreSQL for the machine at hand.
func Package() string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return "@embedded-postgres/" + runtime.GOOS + "-" + arch
}

// Binaries finds the directory that holds initdb and postgres: the one that
// FLEDGE_POSTGRES_BIN names, the npm package under nodeModules, or a PostgreSQL
// of version 18 or newer in PATH. The package's missing links are made.
func Binaries(nodeModules string) (string, error) {
	if dir := os.Getenv(BinEnv); dir != "" {
		return dir, requireVersion(dir)
	}
	nodeModules, err := filepath.Abs(nodeModules)
	if err != nil {
		return "", fmt.Errorf("postgres: %w", err)
	}
	native := filepath.Join(nodeModules, filepath.FromSlash(Package()), "native")
	if _, err := os.Stat(native); err == nil {
		if err := link(filepath.Dir(native)); err != nil {
			return "", fmt.Errorf("postgres: %w", err)
		}
		bin := filepath.Join(native, "bin")
		return bin, requireVersion(bin)
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			if bin := filepath.Dir(path); requireVersion(bin) == nil {
				return bin, nil
			}
		}
	}
	return "", fmt.Errorf("postgres: no PostgreSQL %d found: run `npm ci` in deploy/tools/postgres, or set DATABASE_URL to a server's superuser URL", oldestMajor)
}

// link makes the symbolic links of the shared libraries. npm packages cannot
// hold links, so the package lists them for an install script, which npm may
// not be allowed to run.
func link(pkg string) error {
	content, err := os.ReadFile(filepath.Join(pkg, "native", "pg-symlinks.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(content, &links); err != nil {
		return err
	}
	for _, l := range links {
		target := filepath.Join(pkg, filepath.FromSlash(l.Target))
		source, err := filepath.Rel(filepath.Dir(target), filepath.Join(pkg, filepath.FromSlash(l.Source)))
		if err != nil {
			return err
		}
		if err := os.Symlink(source, target); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

var versionPattern = regexp.MustCompile(`PostgreSQL\) (\d+)`)

func requireVersion(bin string) error {
	out, err := exec.Command(filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return fmt.Errorf("postgres: %s: %w", bin, err)
	}
	match := versionPattern.FindSubmatch(out)
	if match == nil {
		return fmt.Errorf("postgres: %s: cannot read its version from %q", bin, out)
	}
	if major, err := strconv.Atoi(string(match[1])); err != nil || major < oldestMajor {
		return fmt.Errorf("postgres: %s is version %s; %d or newer is needed", bin, match[1], oldestMajor)
	}
	return nil
}
