package prepare

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// The oldest Node.js that Next.js and Vite run on.
const (
	nodeMajor = 20
	nodeMinor = 19
)

var nodeVersion = regexp.MustCompile(`^v(\d+)\.(\d+)\.`)

// RequireNode fails when Node.js or npm is missing or too old; the error says what to do.
func RequireNode(ctx context.Context) error {
	remedy := fmt.Sprintf("install Node.js %d.%d or newer with npm (https://nodejs.org)", nodeMajor, nodeMinor)
	if _, err := exec.LookPath("npm"); err != nil {
		return fmt.Errorf("npm is not in PATH: %s", remedy)
	}
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node does not run: %s", remedy)
	}
	match := nodeVersion.FindSubmatch(out)
	if match == nil {
		return fmt.Errorf("cannot read the version of node from %q: %s", out, remedy)
	}
	major, majorErr := strconv.Atoi(string(match[1]))
	minor, minorErr := strconv.Atoi(string(match[2]))
	if majorErr != nil || minorErr != nil || major < nodeMajor || major == nodeMajor && minor < nodeMinor {
		return fmt.Errorf("node %s.%s is too old: %s", match[1], match[2], remedy)
	}
	return nil
}

// npm brings a folder's node_modules in line with its lockfile. Install scripts
// do not run: what they would do is either not needed or done here. needed are
// packages that must be there although the lockfile calls them optional.
func (b *Builder) npm(ctx context.Context, title, dir string, needed ...string) error {
	complete := installed(dir)
	for _, name := range needed {
		complete = complete && exists(filepath.Join(dir, "node_modules", filepath.FromSlash(name)))
	}
	if complete {
		return nil
	}
	return b.step(ctx, "npm packages of "+title, "", func(ctx context.Context, log *os.File) error {
		return b.command(ctx, log, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	})
}

type lockedPackage struct {
	Version   string   `json:"version"`
	Integrity string   `json:"integrity"`
	Optional  bool     `json:"optional"`
	Peer      bool     `json:"peer"`
	OS        []string `json:"os"`
}

type lockfile struct {
	Packages map[string]lockedPackage `json:"packages"`
}

// installed compares the lockfile with the one that npm leaves in node_modules.
// Packages for other machines are not installed; all others must be, and be the
// same.
func installed(dir string) bool {
	wanted, err := readLockfile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return false
	}
	present, err := readLockfile(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil {
		return false
	}
	for path, want := range wanted.Packages {
		have, ok := present.Packages[path]
		if !ok && (path == "" || want.Optional || want.Peer) {
			continue
		}
		if !ok || have.Version != want.Version || have.Integrity != want.Integrity {
			return false
		}
	}
	return true
}

func readLockfile(path string) (lockfile, error) {
	var l lockfile
	content, err := os.ReadFile(path)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(content, &l)
}
