// Package backup saves the local product's data to one file while it runs, and restores
// it from there.
//
// The file is a gzipped tar of the secrets, the stand-ins' state, and PostgreSQL's data
// with the WAL that makes it consistent, as pg_basebackup would take it. It does not
// contain NATS: the streams are filled again from the outboxes.
package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/state"
)

const (
	dataDir = "postgres/data"
	walDir  = dataDir + "/pg_wal"
	label   = dataDir + "/backup_label"
)

// kept are the parts of a state folder that are saved in addition to PostgreSQL's data.
// The others are created at the start.
var kept = []string{"secrets", "stripe.json", "seeded", "mail"}

// emptied are folders of PostgreSQL's data whose content is of a running server only
// ("Making a Base Backup Using the Low Level API" in PostgreSQL's manual).
var emptied = []string{"pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans"}

// Save writes the data of the product that runs with the folder: everything that was
// acknowledged before Save began, and nothing that is acknowledged after it has returned.
func Save(ctx context.Context, dir state.Dir, w io.Writer) (err error) {
	conn, err := connect(ctx, dir)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	zipped, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	a := archive{tar.NewWriter(zipped)}
	if err := a.database(ctx, conn, dir); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	// After the database: the stand-ins may know more than it, as Stripe may.
	for _, part := range kept {
		if err := a.add(dir, part, nil); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
	}
	if err := errors.Join(a.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// connect speaks to the folder's own server as its superuser.
func connect(ctx context.Context, dir state.Dir) (*pgx.Conn, error) {
	// Any service knows where the server is.
	file, err := os.ReadFile(dir.Path("secrets", "database-url-identity"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no product in this folder: start `make run` first")
	}
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir.Path(dataDir)); err != nil {
		return nil, errors.New("PostgreSQL is not this folder's own, but was given by DATABASE_URL: back up that server")
	}
	password, err := os.ReadFile(dir.Path("secrets", "postgres-superuser"))
	if err != nil {
		return nil, err
	}
	server, err := url.Parse(strings.TrimSpace(string(file)))
	if err != nil {
		return nil, err
	}
	server.User, server.Path = url.UserPassword("postgres", strings.TrimSpace(string(password))), "/postgres"
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not answer, is `make run` running? %w", err)
	}
	return conn, nil
}

type archive struct{ *tar.Writer }

// database adds PostgreSQL's data while the server writes to it.
func (a archive) database(ctx context.Context, conn *pgx.Conn, dir state.Dir) error {
	// A slot of this connection's keeps the log that a checkpoint would remove meanwhile.
	_, err := conn.Exec(ctx, "SELECT pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)")
	if err != nil {
		return err
	}
	var first, last, content string
	if err := conn.QueryRow(ctx, "SELECT pg_walfile_name(pg_backup_start('fledge', true))").Scan(&first); err != nil {
		return err
	}
	if err := a.add(dir, dataDir, ofRunningServer); err != nil {
		return err
	}
	err = conn.QueryRow(ctx, "SELECT pg_walfile_name(lsn), labelfile FROM pg_backup_stop(false)").Scan(&last, &content)
	if err != nil {
		return err
	}
	files, err := os.ReadDir(dir.Path(walDir))
	if err != nil {
		return err
	}
	for _, file := range files {
		if name := file.Name(); len(name) == len(first) && first <= name && name <= last {
			if err := a.file(dir.Path(walDir, name), walDir+"/"+name); err != nil {
				return err
			}
		}
	}
	return a.content(label, 0o600, int64(len(content)), strings.NewReader(content))
}

func ofRunningServer(name string) bool {
	inside, _ := strings.CutPrefix(name, dataDir+"/")
	if strings.HasPrefix(path.Base(name), "pgsql_tmp") || inside == "postmaster.pid" || inside == "postmaster.opts" {
		return true
	}
	for _, folder := range emptied {
		if strings.HasPrefix(inside, folder+"/") {
			return true
		}
	}
	return false
}

// add adds a file, or a folder with everything in it except the names that skip accepts.
// It ignores files that do not exist or disappear meanwhile.
func (a archive) add(dir state.Dir, part string, skip func(name string) bool) error {
	return filepath.WalkDir(dir.Path(part), func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir.Path(), file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(relative)
		switch {
		case skip != nil && skip(name):
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case entry.IsDir():
			return a.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o700})
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is no ordinary file", name)
		}
		err = a.file(file, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// file adds a file as long as it is now. The server may make it longer or shorter
// meanwhile; its log says how it has to be.
func (a archive) file(from, name string) (err error) {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return a.content(name, info.Mode().Perm(), info.Size(), io.MultiReader(f, zeros{}))
}

func (a archive) content(name string, mode fs.FileMode, size int64, from io.Reader) error {
	if err := a.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode), Size: size}); err != nil {
		return err
	}
	_, err := io.CopyN(a, from, size)
	return err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
