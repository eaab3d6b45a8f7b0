package backup

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"fledge.dev/deploy/local/state"
)

// Restore replaces the folder's data by that of a file that Save has written. Nothing
// changes unless the whole file can be read. It moves the previous data to the folder that
// it returns, "" if there was none. The caller holds the folder's lock.
func Restore(dir state.Dir, r io.Reader, now time.Time) (replaced string, err error) {
	if _, err := os.Stat(dir.Path(dataDir, "postmaster.pid")); err == nil {
		return "", errors.New("restore: PostgreSQL runs, or its end was not in order: start `make run` once and stop it with Ctrl-C")
	}
	staged, err := os.MkdirTemp(dir.Path(), "restore-")
	if err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staged)) }()
	if err := unpack(r, staged); err != nil {
		return "", fmt.Errorf("restore: this is no whole backup: %w", err)
	}
	if _, err := os.Stat(filepath.Join(staged, filepath.FromSlash(label))); err != nil {
		return "", fmt.Errorf("restore: this is no whole backup: %w", err)
	}
	aside := dir.Path("replaced-" + now.UTC().Format("20060102T150405"))
	moved, err := moveAll(dir.Path(), aside, append(kept, "postgres", "nats", "nats-2", "nats-3"))
	if err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	if moved > 0 {
		replaced = aside
	}
	if _, err := moveAll(staged, dir.Path(), append(kept, "postgres")); err != nil {
		return replaced, fmt.Errorf("restore: %w", err)
	}
	return replaced, nil
}

// unpack writes what is in the file below a folder, and nowhere else.
func unpack(r io.Reader, to string) (err error) {
	zipped, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			// The sum of it all stands at the end.
			_, err := io.Copy(io.Discard, zipped) //nolint:gosec // nothing is kept of it
			return err
		}
		if err != nil {
			return err
		}
		if err := unpackOne(root, header, archive); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
}

func unpackOne(root *os.Root, header *tar.Header, content io.Reader) error {
	const permissions = 0o777
	mode := fs.FileMode(header.Mode & permissions)
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(header.Name, 0o700)
	case tar.TypeReg:
		if err := root.MkdirAll(path.Dir(header.Name), 0o700); err != nil {
			return err
		}
		f, err := root.OpenFile(header.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return err
		}
		_, err = io.CopyN(f, content, header.Size)
		return errors.Join(err, f.Sync(), f.Close())
	}
	return errors.New("neither a file nor a folder")
}

// moveAll moves those of the names that are there and says how many were. Empty folders
// are nothing.
func moveAll(from, to string, names []string) (moved int, err error) {
	for _, name := range names {
		source := filepath.Join(from, name)
		info, err := os.Lstat(source)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() && os.Remove(source) == nil {
			continue
		}
		if err := errors.Join(os.MkdirAll(to, 0o700), os.Rename(source, filepath.Join(to, name))); err != nil {
			return moved, err
		}
		moved++
	}
	return moved, nil
}
