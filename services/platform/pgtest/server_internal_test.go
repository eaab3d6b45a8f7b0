package pgtest

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
)

// TestAnotherServersPortIsNotTaken: two test binaries that pick the same port must
// not share a server, which would end with the first of them.
func TestAnotherServersPortIsNotTaken(t *testing.T) {
	bin, err := binDir()
	if err != nil {
		t.Skip(err)
	}
	theirs, err := startServer()
	errtest.None(t, err)
	cfg, err := pgx.ParseConfig(theirs)
	errtest.None(t, err)
	data, err := newCluster(bin)
	errtest.None(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(data)) })
	if url, err := serve(bin, data, strconv.Itoa(int(cfg.Port))); err == nil {
		t.Errorf("%s belongs to another server", url)
	}
}
