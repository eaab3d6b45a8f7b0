// Package kratos runs Ory Kratos for the local stack, with the configuration
// that every installation has (services/identity/kratosconfig).
package kratos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services/identity/kratosconfig"
)

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 10 * time.Second
)

// Options describes a Kratos.
type Options struct {
	// Program is Kratos itself.
	Program string
	// Dir takes the configuration. It holds secrets.
	Dir     string
	Config  kratosconfig.Config
	LogFile string
	PIDFile string
}

// Start writes the configuration, brings the database up to date, runs Kratos
// and waits until it is ready. The stand-in for the providers must answer
// already: Kratos looks at it.
func Start(ctx context.Context, opts Options) (*subprocess.Process, error) {
	if err := Prepare(ctx, opts); err != nil {
		return nil, err
	}
	return Serve(ctx, opts)
}

// Prepare is the first half of Start: the configuration and the database.
func Prepare(ctx context.Context, opts Options) error {
	if err := opts.Config.Write(opts.Dir); err != nil {
		return err
	}
	return opts.migrate(ctx)
}

// Serve is the second half of Start, which may be done again after a crash.
func Serve(ctx context.Context, opts Options) (*subprocess.Process, error) {
	process, err := opts.run(opts.PIDFile, "serve")
	if err != nil {
		return nil, err
	}
	url := "http://" + opts.Config.AdminAddr + "/admin/health/ready"
	if err := ready.HTTP(ctx, url, http.StatusOK, process.Done(), startTimeout); err != nil {
		return nil, errors.Join(fmt.Errorf("kratos: %w, see %s", err, opts.LogFile), process.Kill())
	}
	return process, nil
}

// CleanUp starts the removal of what expired a day ago or earlier: flows and
// sessions. Call it after Start; what it does goes to the log.
func CleanUp(opts Options) (*subprocess.Process, error) {
	return opts.run("", "cleanup", "sql", "--keep-last", "24h",
		"--database.cleanup.batch_size", "10000", "--database.cleanup.sleep.tables", "100ms")
}

func (o Options) run(pidFile string, command ...string) (*subprocess.Process, error) {
	return subprocess.Start(subprocess.Spec{
		Name: "kratos " + command[0], Path: o.Program, Args: append(command, "-c", o.configFile()),
		Env: environment(), LogFile: o.LogFile, PIDFile: pidFile, StopTimeout: stopTimeout,
	})
}

func (o Options) configFile() string { return filepath.Join(o.Dir, kratosconfig.ConfigFile) }

func (o Options) migrate(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, o.Program, "migrate", "sql", "-e", "-y", "-c", o.configFile())
	cmd.Env = environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("kratos: migrate: %w: %s", err, lines[len(lines)-1])
	}
	return nil
}

// environment holds nothing of the runner's but what it trusts: Kratos reads settings from
// there. HOME is asked for by libraries that look for configuration files.
func environment() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	if roots, ok := os.LookupEnv("SSL_CERT_FILE"); ok {
		env = append(env, "SSL_CERT_FILE="+roots)
	}
	return env
}
