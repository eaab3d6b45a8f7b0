package state

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// Lock takes the folder for this process until unlock or the process's end,
// however it ends. The error of a second instance names the first.
func (d Dir) Lock() (unlock func() error, err error) {
	f, err := os.OpenFile(d.Path("lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner, _ := io.ReadAll(io.LimitReader(f, 32))
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("already running in this folder as process %s: stop that one first (Ctrl-C in its terminal, or kill %[1]s)", strings.TrimSpace(string(owner)))
		}
		return nil, fmt.Errorf("state: lock: %w", err)
	}
	if err := errors.Join(f.Truncate(0), writeOwner(f)); err != nil {
		return nil, errors.Join(fmt.Errorf("state: lock: %w", err), f.Close())
	}
	return f.Close, nil
}

func writeOwner(f *os.File) error {
	_, err := fmt.Fprintf(f, "%d\n", os.Getpid())
	return err
}
