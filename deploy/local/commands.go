package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/postgres"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/state"
	"fledge.dev/deploy/local/subprocess"
)

// run prepares and becomes cmd/stack. It first checks everything that needs no build.
func run(ctx context.Context, builder *prepare.Builder, dev bool) error {
	port, err := ports.Site()
	if err != nil {
		return err
	}
	unlock, err := builder.State.Lock()
	if err != nil {
		return err
	}
	if err := ports.RequireRow(port); err != nil {
		return err
	}
	wanted := prepare.Wanted{PostgresGiven: os.Getenv("DATABASE_URL") != "", Dev: dev}
	if err := prepareProduct(ctx, builder, wanted, prepare.StackPackage); err != nil {
		return err
	}
	command := "run"
	if dev {
		command = "dev"
	}
	return errors.Join(unlock(), become(builder, command))
}

// e2e prepares everything that the browser tests need and becomes cmd/stack. A site
// that runs already needs nothing built but the tests' own programs.
func e2e(ctx context.Context, builder *prepare.Builder, args []string) error {
	if _, err := builder.Browser(ctx); err != nil {
		return err
	}
	if os.Getenv("BASE_URL") != "" {
		if err := builder.Programs(ctx, builder.State.Path("bin"), prepare.StackPackage, prepare.MacPackage); err != nil {
			return err
		}
	} else if err := prepareProduct(ctx, builder, prepare.Wanted{}, append(prepare.ProcessPackages(), prepare.StackPackage, prepare.MacPackage)...); err != nil {
		return err
	}
	return become(builder, append([]string{"e2e"}, args...)...)
}

// shipped prepares the product as it ships and a browser, and becomes cmd/stack in a network
// of its own, where public names lead to this machine.
func shipped(ctx context.Context, builder *prepare.Builder, args []string) error {
	if _, err := builder.Browser(ctx); err != nil {
		return err
	}
	if err := prepareProduct(ctx, builder, prepare.Wanted{}, prepare.StackPackage, prepare.MacPackage); err != nil {
		return err
	}
	if err := errors.Join(
		builder.Shipped(ctx, builder.State.Path("shipped")),
		builder.TestsOf(ctx, "./deploy/test/product/mac", builder.State.Path("bin", "mac.test")), // there is no network for it later
	); err != nil {
		return err
	}
	alone := []string{filepath.Join(builder.Root, "deploy", "test", "ci", "alone.sh"), strings.Join(prepare.PublicHosts(prepare.ShippedHost), " ")}
	return becomeBehind(builder, alone, append([]string{"shipped"}, args...)...)
}

// with prepares the product and a browser and becomes cmd/stack, which runs the
// command beside them.
func with(ctx context.Context, builder *prepare.Builder, args []string) error {
	if _, err := builder.Browser(ctx); err != nil {
		return err
	}
	if err := prepareProduct(ctx, builder, prepare.Wanted{}, prepare.StackPackage); err != nil {
		return err
	}
	return become(builder, append([]string{"with"}, args...)...)
}

func prepareProduct(ctx context.Context, builder *prepare.Builder, wanted prepare.Wanted, packages ...string) error {
	if err := prepare.RequireNode(ctx); err != nil {
		return err
	}
	return prepare.Together(ctx,
		func(ctx context.Context) error { _, err := builder.Tools(ctx, wanted); return err },
		func(ctx context.Context) error { return builder.Programs(ctx, builder.State.Path("bin"), packages...) },
	)
}

// become replaces this program by cmd/stack, which keeps the process id: who
// kills one, kills the other.
func become(builder *prepare.Builder, command ...string) error {
	return becomeBehind(builder, nil, command...)
}

// becomeBehind is become with a program in front that itself becomes cmd/stack.
func becomeBehind(builder *prepare.Builder, front []string, command ...string) error {
	builder.Progress.Close()
	words := append(append(front, builder.State.Path("bin", "stack")), command...)
	return syscall.Exec(words[0], words, append(os.Environ(), subprocess.ParentEnv+"="+subprocess.Parent()))
}

// testDB runs a command with FLEDGE_TEST_DATABASE_URL set to a server that lives
// as long as the command, and with the programs that tests start. A durable server
// waits for the disk as a real one does, which benchmarks are about and tests not.
// It is made for `go test -race`, which needs a C compiler.
func testDB(ctx context.Context, builder *prepare.Builder, durable bool, command []string) (err error) {
	if err := prepare.RequireNode(ctx); err != nil {
		return err
	}
	var bin, kratos string
	err = prepare.Together(ctx,
		builder.Compiler,
		func(ctx context.Context) (err error) { bin, err = builder.Postgres(ctx); return err },
		func(ctx context.Context) (err error) { kratos, err = builder.Kratos(ctx); return err },
		func(ctx context.Context) error { _, err := builder.Caddy(ctx); return err },
	)
	if err != nil {
		return err
	}
	place := ""
	if !durable {
		place = inMemory()
	}
	dir, err := os.MkdirTemp(place, "fledge-testdb-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	port, err := ports.New().Port()
	if err != nil {
		return err
	}
	server, err := postgres.Start(ctx, postgres.Options{
		Bin: bin, Dir: filepath.Join(dir, "postgres"), Port: port, Password: state.Hex(32)(),
		LogFile: filepath.Join(dir, "log"), ThrowAway: !durable, Settings: map[string]string{"max_connections": "500"},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "FLEDGE_TEST_DATABASE_URL="+server.URL(), postgres.BinEnv+"="+bin, "FLEDGE_KRATOS_BIN="+kratos)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(command[:min(2, len(command))], " "), err)
	}
	return nil
}

// inMemory is where files are in memory, if there is room for the databases of tests; else "". Tests make and
// drop thousands of them, and before ext4 makes a file it looks through all that were deleted in the last seconds:
// `local testdb -- go test -count=1 -race ./services/waitlist/internal/store` took 61 s in memory and 79 to 103 s on a
// disk (in turn, 2 processors).
func inMemory() string {
	const dir, needed = "/dev/shm", 4 << 30
	var files syscall.Statfs_t
	if err := syscall.Statfs(dir, &files); err != nil || files.Bavail*uint64(files.Bsize) < needed {
		return ""
	}
	return dir
}
