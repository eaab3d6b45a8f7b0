package mac

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// StateEnv names a folder to keep the credentials in.
const StateEnv = "FLEDGE_MAC_STATE"

// Store keeps the credentials, the attempt that waits for the app's link and the
// order that waits for its answer in files that only their owner may read.
//
// The real app keeps the first two in the Keychain instead (kSecClassGenericPassword,
// kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, not synchronised): a file is
// readable by every program of the person, and by their backups.
type Store struct{ dir string }

// OpenStore opens a folder and makes it if need be. "" is FLEDGE_MAC_STATE,
// else fledge-mac in the person's configuration folder.
func OpenStore(dir string) (*Store, error) {
	if dir == "" {
		dir = os.Getenv(StateEnv)
	}
	if dir == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("no folder for the credentials: %w; set %s", err, StateEnv)
		}
		dir = filepath.Join(config, "fledge-mac")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // the person says where
		return nil, fmt.Errorf("credentials: %w", err)
	}
	return &Store{dir: dir}, nil
}

const (
	credentialsFile = "credentials.json"
	attemptFile     = "attempt.json"
	orderFile       = "order.json"
	lockFile        = "lock"
	orderLock       = "order.lock"
	lockPoll        = 20 * time.Millisecond
)

// lock acquires a file lock, which excludes other goroutines and processes until unlock
// or until the process ends, even by a crash.
func (s *Store) lock(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a constant name in the store's folder
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("credentials: %w", err), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(lockPoll):
		}
	}
}

// credentials returns what is kept for a site, ErrSignedOut when there is nothing.
func (s *Store) credentials(site Site) (Credentials, error) {
	var kept Credentials
	err := s.read(credentialsFile, &kept)
	if errors.Is(err, fs.ErrNotExist) {
		return Credentials{}, ErrSignedOut
	}
	if err == nil && kept.Site != site.origin {
		err = fmt.Errorf("this Mac is signed in at %s, not at %s: sign out there first, or set %s to another folder", kept.Site, site, StateEnv)
	}
	if err != nil {
		return Credentials{}, err
	}
	return kept, nil
}

func (s *Store) save(c Credentials) error { return s.write(credentialsFile, c) }

func (s *Store) forget() error { return s.remove(credentialsFile) }

func (s *Store) read(name string, into any) error {
	path := filepath.Join(s.dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s can be read by others, so its secrets may be known: sign out of this device in the profile, delete the file and sign in again", path)
	}
	content, err := os.ReadFile(path) //nolint:gosec // a constant name in the store's folder
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s is damaged: delete it and sign in again", path)
	}
	return nil
}

// write replaces a file atomically: a crash leaves the old content or the new.
func (s *Store) write(name string, content any) error {
	encoded, err := json.Marshal(content)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, ".new-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	_, err = f.Write(encoded)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.dir, name))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("credentials: %w", err), os.Remove(f.Name()))
	}
	return nil
}

func (s *Store) remove(name string) error {
	err := os.Remove(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
