// Command backup copies the data of `make run` into a file, or back from one, see
// deploy/local/backup.
//
//	backup save FILE
//	backup restore FILE
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"fledge.dev/deploy/local/backup"
	"fledge.dev/deploy/local/state"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 || args[1] == "" {
		return errors.New("name a file: FILE=fledge.tar.gz")
	}
	root, err := state.FindRoot(".")
	if err != nil {
		return err
	}
	dir, err := state.Open(filepath.Join(root, ".local"))
	if err != nil {
		return err
	}
	switch args[0] {
	case "save":
		return save(ctx, dir, args[1])
	case "restore":
		return restore(dir, args[1])
	}
	return fmt.Errorf("unknown command %q: there are save and restore", args[0])
}

// save writes to another name first: a file of the given name is whole.
func save(ctx context.Context, dir state.Dir, name string) error {
	if _, err := os.Stat(name); err == nil {
		return fmt.Errorf("%s is there already", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".backup-*") // which only its owner may read
	if err != nil {
		return err
	}
	err = errors.Join(backup.Save(ctx, dir, f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	fmt.Printf("%s holds everything, the secrets too: keep it where nobody else reads it\n", name)
	return nil
}

func restore(dir state.Dir, name string) error {
	unlock, err := dir.Lock()
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	replaced, err := backup.Restore(dir, f, time.Now())
	if err != nil {
		return err
	}
	fmt.Println("restored; `make run` starts with it")
	if replaced != "" {
		fmt.Printf("what was there before is in %s\n", replaced)
	}
	return nil
}
