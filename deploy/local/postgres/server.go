// Package postgres runs a PostgreSQL server of the local stack's own.
//
// The server listens on 127.0.0.1 alone, asks for passwords (SCRAM) and keeps
// its promise of durability: fsync stays on unless a throw-away server is asked
// for. PostgreSQL refuses to run as root, so under root it becomes another user
// (see subprocess.Unprivileged). A server that a killed runner left is stopped in
// order before the next one starts.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"fledge.dev/deploy/local/subprocess"
)

const (
	superuser     = "postgres"
	startTimeout  = 60 * time.Second // replaying the log after a crash takes its time
	stopTimeout   = 20 * time.Second
	orphanTimeout = 20 * time.Second
	readyPoll     = 20 * time.Millisecond
)

// Options configures Start.
type Options struct {
	// Bin is the directory of initdb and postgres; see Binaries.
	Bin string
	// Dir is created when missing and holds the data directory.
	Dir string
	// Port is the loopback port to listen on.
	Port int
	// Password is the superuser's. It is set when the data is created, so it
	// must stay the same for the same Dir.
	Password string
	// LogFile takes the server's log.
	LogFile string
	// TLS, if given, is the only way in: the URL then names the authority.
	TLS *TLS
	// Settings are configuration parameters that override the stack's own.
	Settings map[string]string
	// ThrowAway trades durability for speed: for data that lives as long as
	// the server.
	ThrowAway bool
}

// TLS names PEM files. The server gets copies of the first two that it may read.
type TLS struct{ CertFile, KeyFile, CAFile string }

// Server is a running PostgreSQL.
type Server struct {
	process *subprocess.Process
	url     string
}

// Start creates the data directory when there is none, starts the server and
// waits until it takes connections.
func Start(ctx context.Context, opts Options) (*Server, error) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	opts.Dir = dir
	c := cluster{Options: opts, data: filepath.Join(dir, "data")}
	if err := c.prepare(ctx); err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	if err := c.endOrphan(); err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	process, err := subprocess.Start(subprocess.Spec{
		Name: "postgres", Path: filepath.Join(opts.Bin, "postgres"), Args: c.arguments(),
		Dir: c.data, Env: environment(), LogFile: opts.LogFile, Identity: c.identity,
		StopSignal: syscall.SIGINT, StopTimeout: stopTimeout, // SIGINT is PostgreSQL's fast shutdown
	})
	if err != nil {
		return nil, err
	}
	s := &Server{process: process, url: c.url()}
	if err := c.waitReady(ctx, process); err != nil {
		return nil, errors.Join(fmt.Errorf("postgres: %w", err), process.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// URL connects to the database postgres as the superuser.
func (s *Server) URL() string { return s.url }

// Process is the server's child process, for faults that tests inject.
func (s *Server) Process() *subprocess.Process { return s.process }

// Stop ends the server in order: open transactions roll back, a checkpoint is
// written.
func (s *Server) Stop(ctx context.Context) error { return s.process.Stop(ctx) }

type cluster struct {
	Options
	data     string
	identity *subprocess.Identity
}

func (c *cluster) url() string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, c.Password),
		Host: fmt.Sprintf("127.0.0.1:%d", c.Port), Path: "/postgres", RawQuery: "sslmode=disable",
	}
	if c.TLS != nil {
		// Drivers leave a plus sign as it is.
		u.RawQuery = "sslmode=verify-full&sslrootcert=" + strings.ReplaceAll(url.QueryEscape(c.TLS.CAFile), "+", "%20")
	}
	return u.String()
}

func (c *cluster) waitReady(ctx context.Context, process *subprocess.Process) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ticker := time.NewTicker(readyPoll)
	defer ticker.Stop()
	for {
		if status := c.status(); status.pid == process.PID() && status.state == "ready" {
			return nil
		}
		select {
		case <-process.Done():
			return fmt.Errorf("the server ended while starting (%w)%s", process.Err(), reason(c.LogFile))
		case <-ctx.Done():
			return fmt.Errorf("the server did not become ready: %w", ctx.Err())
		case <-ticker.C:
		}
	}
}

// environment gives the server as little as possible: PG* variables of the
// runner would change what it does.
func environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
}

// reason finds in a log why the server ended: its FATAL and what came before it.
func reason(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.Contains(lines[i], "FATAL:") {
			return ": " + strings.Join(lines[max(0, i-3):i+1], "; ")
		}
	}
	return ": " + lines[len(lines)-1]
}

func (c *cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.Bin, name), args...)
	cmd.Dir, cmd.Env = c.Dir, environment()
	return cmd
}
