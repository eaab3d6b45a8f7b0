package prepare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Browser installs what drives the browser tests and finds a Chromium for them:
// CHROMIUM, one in PATH, or an installed Chrome of macOS. Missing, it comes from
// the system's packages where that is possible, with its headless shell where
// that is one of them.
func (b *Builder) Browser(ctx context.Context) (program string, err error) {
	if program, err = chromium(); errors.Is(err, errNoBrowser) {
		if err = b.system(ctx, "Chromium", "chromium", headlessShell); err != nil {
			err = b.system(ctx, "Chromium", "chromium")
		}
		if err == nil {
			program, err = chromium()
		}
	}
	if err != nil {
		return "", err
	}
	return program, b.npm(ctx, "the browser tests", filepath.Join(b.Root, "deploy", "test", "browser"))
}

const headlessShell = "chromium-headless-shell"

// HeadlessShell finds Chromium without what draws a desktop's windows: pages need about half of the processor time
// in it, but are not kept for Back, nor rendered before they are shown. It is "" where there is none, and when CHROMIUM
// says which browser to use.
func HeadlessShell() string {
	if os.Getenv("CHROMIUM") != "" {
		return ""
	}
	program, err := exec.LookPath(headlessShell)
	if err != nil {
		return ""
	}
	return program
}

var errNoBrowser = errors.New("no Chromium found: set CHROMIUM to the program")

func chromium() (string, error) {
	if program := os.Getenv("CHROMIUM"); program != "" {
		return exec.LookPath(program)
	}
	// Where a Mac keeps its programs, as in deploy/test/ci/needs.sh.
	applications, ok := os.LookupEnv("APPLICATIONS")
	if !ok {
		applications = "/Applications"
	}
	for _, name := range []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		applications + "/Google Chrome.app/Contents/MacOS/Google Chrome",
		applications + "/Chromium.app/Contents/MacOS/Chromium",
	} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", errNoBrowser
}

// Compiler makes sure that there is a C compiler, which Go's race detector
// needs.
func (b *Builder) Compiler(ctx context.Context) error {
	for _, name := range []string{os.Getenv("CC"), "gcc", "clang"} {
		if _, err := exec.LookPath(name); name != "" && err == nil {
			return nil
		}
	}
	return b.system(ctx, "C compiler", "gcc", "libc6-dev")
}

// system installs packages of the operating system: on Debian and its like, as
// root. Elsewhere the error tells the person what to install.
func (b *Builder) system(ctx context.Context, title string, packages ...string) error {
	list := strings.Join(packages, " ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("%s is missing: install it (Debian: apt-get install %s)", title, list)
	}
	return b.step(ctx, title, "from the system's packages", func(ctx context.Context, log *os.File) error {
		install := append([]string{"install", "--yes", "--no-install-recommends"}, packages...)
		if b.command(ctx, log, b.Root, "apt-get", install...) == nil {
			return nil
		}
		// A fresh machine knows no packages yet.
		if err := b.command(ctx, log, b.Root, "apt-get", "update"); err != nil {
			return err
		}
		return b.command(ctx, log, b.Root, "apt-get", install...)
	})
}
