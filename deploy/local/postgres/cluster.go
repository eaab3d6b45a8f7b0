package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"fledge.dev/deploy/local/subprocess"
)

// prepare makes the data directory and chooses who runs the server.
func (c *cluster) prepare(ctx context.Context) error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	identity, err := subprocess.Unprivileged(c.Dir, filepath.Join(c.Bin, "postgres"), "--version")
	if err != nil {
		return fmt.Errorf("the server does not run as root, and no other user can reach %s: run as a normal user, or set DATABASE_URL (%w)", c.Dir, err)
	}
	c.identity = identity
	// PG_VERSION alone does not tell: initdb writes it early.
	if _, err := os.Stat(filepath.Join(c.data, "postgresql.conf")); errors.Is(err, fs.ErrNotExist) {
		if err := c.initialise(ctx); err != nil {
			return err
		}
	}
	if err := c.prepareTLS(); err != nil {
		return err
	}
	return c.identity.Own(c.Dir)
}

// The server's own copies of its certificate, and who may come in with TLS.
const (
	certFile = "server.crt"
	keyFile  = "server.key"
	hbaFile  = "pg_hba_tls.conf"
	hbaRules = "hostssl all all 127.0.0.1/32 scram-sha-256\n"
)

func (c *cluster) prepareTLS() error {
	if c.TLS == nil {
		return nil
	}
	cert, err := os.ReadFile(c.TLS.CertFile)
	if err != nil {
		return err
	}
	key, err := os.ReadFile(c.TLS.KeyFile)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(c.Dir, certFile), cert, 0o600), os.WriteFile(filepath.Join(c.Dir, keyFile), key, 0o600),
		os.WriteFile(filepath.Join(c.Dir, hbaFile), []byte(hbaRules), 0o600))
}

// initialise builds the data directory under another name and renames it, so
// that a run killed half way leaves nothing that looks finished.
func (c *cluster) initialise(ctx context.Context) error {
	unfinished := c.data + ".new"
	passwords := filepath.Join(c.Dir, "superuser-password")
	if err := errors.Join(os.RemoveAll(unfinished), os.Mkdir(unfinished, 0o700),
		os.WriteFile(passwords, []byte(c.Password), 0o600), c.identity.Own(c.Dir)); err != nil {
		return err
	}
	args := []string{
		"--pgdata", unfinished, "--username", superuser, "--pwfile", passwords, "--auth", "scram-sha-256",
		"--encoding", "UTF8", "--locale-provider", "builtin", "--locale", "C.UTF-8", "--no-instructions",
	}
	if c.ThrowAway {
		args = append(args, "--no-sync")
	}
	cmd := c.command(ctx, "initdb", args...)
	c.identity.Apply(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return errors.Join(os.Remove(passwords), os.Rename(unfinished, c.data))
}

// arguments are parameters of `postgres`. The local stack wants little memory
// when idle; the rest is PostgreSQL's default.
func (c *cluster) arguments() []string {
	settings := map[string]string{
		"listen_addresses": "127.0.0.1", "port": strconv.Itoa(c.Port), "unix_socket_directories": "",
		"max_connections": "200", "shared_buffers": "64MB", "jit": "off", "io_method": "sync",
		"max_logical_replication_workers": "0", "max_wal_size": "512MB",
		"log_line_prefix": "%m [%p] %u@%d ", "log_timezone": "UTC", "timezone": "UTC",
	}
	if c.ThrowAway {
		maps.Copy(settings, map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"})
	}
	if c.TLS != nil {
		maps.Copy(settings, map[string]string{
			"ssl": "on", "ssl_min_protocol_version": "TLSv1.3", "hba_file": filepath.Join(c.Dir, hbaFile),
			"ssl_cert_file": filepath.Join(c.Dir, certFile), "ssl_key_file": filepath.Join(c.Dir, keyFile),
		})
	}
	maps.Copy(settings, c.Settings)
	args := []string{"-D", c.data}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}

// status is what the server writes about itself into postmaster.pid.
type status struct {
	pid   int
	state string // starting, ready, stopping
}

func (c *cluster) status() status {
	content, err := os.ReadFile(filepath.Join(c.data, "postmaster.pid"))
	if err != nil {
		return status{}
	}
	// Lines: pid, data directory, start time, port, socket directory, address,
	// shared memory key, state (PostgreSQL's miscadmin.h).
	lines := strings.Split(string(content), "\n")
	pid, err := strconv.Atoi(lines[0])
	if err != nil || len(lines) < 8 {
		return status{pid: pid}
	}
	return status{pid: pid, state: strings.TrimSpace(lines[7])}
}

// endOrphan stops the server of a runner that was killed. A PID file whose
// process is another program by now would keep the new server from starting.
func (c *cluster) endOrphan() error {
	pid := c.status().pid
	if pid <= 1 {
		return nil
	}
	if subprocess.Runs(pid, "postgres", c.data) {
		return subprocess.End(pid, syscall.SIGINT, orphanTimeout)
	}
	if err := os.Remove(filepath.Join(c.data, "postmaster.pid")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
