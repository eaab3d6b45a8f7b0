// Package kratos runs Ory Kratos for the local stack with the configuration in
// deploy/kratos.
package kratos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/kratosconfig"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/state"
)

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 10 * time.Second
)

// Options describes a Kratos.
type Options struct {
	// Program is Kratos itself.
	Program string
	// Dir is deploy/kratos: schemas and mappers are found from there.
	Dir string
	// ConfigFile is where the rendered configuration goes. It holds secrets.
	ConfigFile string
	Settings   kratosconfig.Settings
	LogFile    string
	PIDFile    string
}

// Start renders the configuration, brings the database up to date, runs Kratos
// and waits until it is ready. The providers must answer already: Kratos looks
// at them.
func Start(ctx context.Context, opts Options) (*child.Process, error) {
	var config bytes.Buffer
	if err := kratosconfig.Render(&config, opts.Dir, opts.Settings); err != nil {
		return nil, err
	}
	if err := state.WriteFile(opts.ConfigFile, config.Bytes(), 0o600); err != nil {
		return nil, fmt.Errorf("kratos: %w", err)
	}
	if err := opts.migrate(ctx); err != nil {
		return nil, err
	}
	process, err := child.Start(child.Spec{
		Name: "kratos", Path: opts.Program, Args: []string{"serve", "-c", opts.ConfigFile}, Dir: opts.Dir,
		Env: environment(), LogFile: opts.LogFile, PIDFile: opts.PIDFile, StopTimeout: stopTimeout,
	})
	if err != nil {
		return nil, err
	}
	url := "http://" + opts.Settings.AdminAddr + "/admin/health/ready"
	if err := ready.HTTP(ctx, url, http.StatusOK, process.Done(), startTimeout); err != nil {
		return nil, errors.Join(fmt.Errorf("kratos: %w, see %s", err, opts.LogFile), process.Kill())
	}
	return process, nil
}

func (o Options) migrate(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, o.Program, "migrate", "sql", "-e", "-y", "-c", o.ConfigFile)
	cmd.Dir, cmd.Env = o.Dir, environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("kratos: migrate: %w: %s", err, lines[len(lines)-1])
	}
	return nil
}

// environment holds nothing of the runner's: Kratos reads settings from there.
// HOME is asked for by libraries that look for configuration files.
func environment() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"} }
