package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// updates has the real electron-updater install the newest build on either kind of Mac, from the
// site's feed. Its homes are below state.
func updates(ctx context.Context, root, site, state string) error {
	type app struct {
		Feed    string `json:"feed"`
		Arch    string `json:"arch"`
		Version string `json:"version"`
		Home    string `json:"home"`
		Install bool   `json:"install"`
	}
	var apps []app
	for _, arch := range []string{"arm64", "x64"} {
		apps = append(apps, app{site + "/api/updates", arch, "0.0.1", filepath.Join(state, "updater", arch), true})
	}
	input, err := json.Marshal(apps)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "node", filepath.Join(root, "deploy", "test", "product", "releases", "updater", "app.cjs"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	cmd.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+os.Getenv("SSL_CERT_FILE"))
	output, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("electron-updater: %w", err)
	}
	var outcomes []struct{ Version, Error, Installed string }
	if err := json.Unmarshal(output, &outcomes); err != nil || len(outcomes) != len(apps) {
		return fmt.Errorf("electron-updater said %q: %w", output, err)
	}
	var errs []error
	for i, outcome := range outcomes {
		if outcome.Error != "" || outcome.Installed == "" {
			errs = append(errs, fmt.Errorf("electron-updater on %s installed %q of version %q: %s", apps[i].Arch, outcome.Installed, outcome.Version, outcome.Error))
		}
	}
	return errors.Join(errs...)
}
