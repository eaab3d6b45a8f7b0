package prepare

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// Browser installs what drives the browser tests and finds a Chromium for them:
// CHROMIUM, one in PATH, or an installed Chrome of macOS. None is downloaded.
func (w *Workshop) Browser(ctx context.Context) (program string, err error) {
	program, err = chromium()
	if err != nil {
		return "", err
	}
	return program, w.npm(ctx, "the browser tests", filepath.Join(w.Root, "deploy", "local", "e2e"))
}

func chromium() (string, error) {
	if program := os.Getenv("CHROMIUM"); program != "" {
		return exec.LookPath(program)
	}
	for _, name := range []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
	} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", errors.New("no Chromium found: install the package chromium (Debian: apt-get install chromium), or set CHROMIUM to the program")
}
