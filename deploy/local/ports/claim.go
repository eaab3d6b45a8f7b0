package ports

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// size is how many ports a claim has: more than a product takes.
const size = 250

// claim is a block of ports that no other Allocator of this user takes from, in this
// process or in another, as long as it is referred to. A port that is free at the
// moment may be somebody's whose program is just starting, or was just killed.
type claim struct {
	first int
	lock  *os.File
}

// newClaim locks a block that nobody has.
func newClaim() (*claim, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("fledge-ports-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("ports: %w", err)
	}
	for _, block := range rand.Perm(count / size) {
		lock, err := os.OpenFile(filepath.Join(dir, fmt.Sprint(block)), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the folder for temporary files is of the user's choice
		if err != nil {
			return nil, fmt.Errorf("ports: %w", err)
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			return &claim{first: first + block*size, lock: lock}, nil
		}
		if err := lock.Close(); err != nil {
			return nil, fmt.Errorf("ports: %w", err)
		}
	}
	return nil, fmt.Errorf("ports: all %d blocks are taken by others", count/size)
}
