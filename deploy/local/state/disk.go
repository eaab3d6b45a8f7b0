package state

import (
	"fmt"
	"syscall"
)

const mebibyte = 1 << 20

// RequireSpace fails when the file system of path has less than need bytes free
// for this user. what says what the space is for.
func RequireSpace(path string, need uint64, what string) error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return fmt.Errorf("state: free space of %s: %w", path, err)
	}
	if free := fs.Bavail * uint64(fs.Bsize); free < need {
		return fmt.Errorf("not enough disk space: %s needs %d MiB on the disk of %s, and %d MiB are free: free some, or `make clean`", what, need/mebibyte, path, free/mebibyte)
	}
	return nil
}
