package restore_test

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/state"
	"fledge.dev/services/platform/errtest"
)

const dataDir = "postgres/data"

// ofRunningServer are names in PostgreSQL's data whose content is of a running server only
// ("Making a Base Backup Using the Low Level API" in PostgreSQL's manual). The WAL is copied
// at the end.
var ofRunningServer = []string{
	"pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans",
	"postmaster.pid", "postmaster.opts",
}

// copyRunning copies a base backup of the running product's PostgreSQL, with the WAL that
// makes it consistent, its secrets, and then, after what happens later, the state of the stand-ins:
// they know more than the database, as Stripe does. NATS is left out.
func copyRunning(t *testing.T, s *stack.Stack, from, to state.Dir, later func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), superuser(t, s, from).String())
	errtest.None(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	// The slot, which ends with the connection, keeps the WAL that a checkpoint would remove.
	_, err = conn.Exec(t.Context(), "SELECT pg_create_physical_replication_slot('restore_test', true, true), pg_backup_start('restore test', true)")
	errtest.None(t, err)
	copyFolder(t, from.Path(dataDir), to.Path(dataDir), ofRunningServer...)
	var label string
	errtest.None(t, conn.QueryRow(t.Context(), "SELECT labelfile FROM pg_backup_stop(false)").Scan(&label))
	copyFolder(t, from.Path(dataDir, "pg_wal"), to.Path(dataDir, "pg_wal"), "archive_status")
	errtest.None(t, os.WriteFile(to.Path(dataDir, "backup_label"), []byte(label), 0o600))
	later()
	for _, part := range []string{"secrets", "stripe.json", "seeded", "mail"} {
		copyFolder(t, from.Path(part), to.Path(part))
	}
}

// superuser is the way into a stack's PostgreSQL for its operator.
func superuser(t *testing.T, s *stack.Stack, dir state.Dir) *url.URL {
	t.Helper()
	password, err := os.ReadFile(dir.Path("secrets", "postgres-superuser"))
	errtest.None(t, err)
	server, err := url.Parse(s.DatabaseURL("identity"))
	errtest.None(t, err)
	server.User, server.Path = url.UserPassword("postgres", strings.TrimSpace(string(password))), "/postgres"
	return server
}

// copyFolder copies a file or a folder. Of the folders that are named only they themselves
// are copied, of the files nothing. It ignores what disappears meanwhile.
func copyFolder(t *testing.T, from, to string, without ...string) {
	t.Helper()
	errtest.None(t, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target, left := filepath.Join(to, name), slices.Contains(without, name)
		if entry.IsDir() {
			if err := os.MkdirAll(target, 0o700); err != nil || !left {
				return err
			}
			return filepath.SkipDir
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || left {
			return nil
		}
		return errors.Join(err, os.WriteFile(target, content, 0o600))
	}))
}
