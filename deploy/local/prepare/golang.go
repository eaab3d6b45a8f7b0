package prepare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"fledge.dev/deploy/local/subprocess"
)

// Folders of the programs, below deploy.
const (
	caddy  = "caddy"
	kratos = "tools/kratos"
	k6     = "tools/k6"
)

const (
	kratosPackage = "github.com/ory/kratos"
	kratosVersion = "v1.3.1"
	caddyPackage  = "." // of deploy/caddy
	// Databases of Caddy's own certificate authority, which is not used.
	caddyWithout = "nobadger,nomysql,nopgx"

	k6Package = "go.k6.io/k6"
)

// program is where a tool of an own Go module lands. The name carries a hash of
// all that decides the result, so that an update builds a new one.
func (b *Builder) program(tool string) string {
	hash := sha256.New()
	root := filepath.Join(b.Root, "deploy", tool)
	// What cannot be read is missed by the build.
	_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err == nil && (name == "go.mod" || name == "go.sum" || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")) {
			return hashFile(hash, root, path)
		}
		return nil
	})
	hash.Write([]byte(runtime.Version() + runtime.GOOS + runtime.GOARCH))
	return b.State.Path("bin", filepath.Base(tool)+"-"+hex.EncodeToString(hash.Sum(nil))[:12])
}

// Kratos builds Ory Kratos and returns the program.
func (b *Builder) Kratos(ctx context.Context) (string, error) {
	// go-swagger, which only Kratos' own generators use, has a replacement that
	// `go mod tidy` cannot resolve: hence -mod=mod on a go.mod that is not tidy.
	return b.program(kratos), b.tool(ctx, kratos, "Ory Kratos", kratosPackage, "-mod=mod",
		"-ldflags=-s -w -X "+kratosPackage+"/driver/config.Version="+kratosVersion)
}

// Caddy builds Caddy and returns the program.
func (b *Builder) Caddy(ctx context.Context) (string, error) {
	return b.program(caddy), b.tool(ctx, caddy, "Caddy", caddyPackage, "-mod=readonly", "-tags="+caddyWithout, "-ldflags=-s -w")
}

// K6 builds Grafana's load generator and returns the program.
func (b *Builder) K6(ctx context.Context) (string, error) {
	return b.program(k6), b.tool(ctx, k6, "k6", k6Package, "-mod=readonly", "-ldflags=-s -w")
}

func (b *Builder) tool(ctx context.Context, name, title, pkg string, flags ...string) error {
	program := b.program(name)
	if _, err := os.Stat(program); err == nil {
		return nil
	}
	release, err := b.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return b.step(ctx, title, "built once, takes a minute or two", func(ctx context.Context, log *os.File) error {
		// Another run may have the same name under way.
		unfinished := program + ".new-" + strconv.Itoa(os.Getpid())
		args := append([]string{"build", "-o", unfinished, "-buildvcs=false"}, flags...)
		err := b.command(ctx, log, filepath.Join(b.Root, "deploy", name), "go", append(args, pkg)...)
		if err != nil {
			return errors.Join(err, removeIfThere(unfinished))
		}
		return errors.Join(os.Rename(unfinished, program), removeOlder(b.State.Path("bin", filepath.Base(name)+"-*"), program))
	})
}

// StackPackage is the program that runs the product.
const StackPackage = "fledge.dev/deploy/local/cmd/stack"

// MacPackage is the reference Mac client.
const MacPackage = "fledge.dev/deploy/mac/cmd/mac"

// ProcessPackages are the programs of the services, the gateway and NATS, for a
// product of separate processes.
func ProcessPackages() []string {
	return []string{"fledge.dev/services/.../cmd/...", "fledge.dev/gateway/cmd/gateway", "github.com/nats-io/nats-server/v2"}
}

// Programs builds packages of the workspace into dir, each under the last
// element of its path.
func (b *Builder) Programs(ctx context.Context, dir string, packages ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	release, err := b.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return b.step(ctx, "Fledge", "the first time takes a minute or two", func(ctx context.Context, log *os.File) error {
		return b.command(ctx, log, b.Root, "go", append([]string{"build", "-o", dir + string(filepath.Separator)}, packages...)...)
	})
}

// Shipped builds the programs of the services, the gateway and NATS into dir as
// deploy/images/go.Dockerfile does.
func (b *Builder) Shipped(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return b.step(ctx, "Fledge as it ships", "the first time takes a minute or two", func(ctx context.Context, log *os.File) error {
		args := append(append([]string{"CGO_ENABLED=0", "go", "build"}, imageFlags...), "-o", dir+string(filepath.Separator))
		return b.command(ctx, log, b.Root, "env", append(args, ProcessPackages()...)...)
	})
}

// TestsOf compiles a package's tests into a program.
func (b *Builder) TestsOf(ctx context.Context, pkg, program string) error {
	return b.step(ctx, "tests of "+path.Base(pkg), "for a network without registries", func(ctx context.Context, log *os.File) error {
		return b.command(ctx, log, b.Root, "go", "test", "-c", "-o", program, pkg)
	})
}

// imageFlags are those of deploy/images/go.Dockerfile.
var imageFlags = []string{"-trimpath", "-buildvcs=false", "-tags", "nomsgpack,grpcnotrace", "-ldflags", "-s -w -X fledge.dev/services/platform/service.version=shipped"}

// command runs a tool to its end.
func (b *Builder) command(ctx context.Context, log *os.File, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(os.Environ(), "NEXT_TELEMETRY_DISABLED=1", "CI=1")
	if name == "go" && dir != b.Root {
		cmd.Env = append(cmd.Env, "GOWORK=off", "GOFLAGS=")
	}
	return subprocess.Run(cmd)
}

func (b *Builder) acquire(ctx context.Context) (release func(), err error) {
	select {
	case b.builds <- struct{}{}:
		return func() { <-b.builds }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

func removeOlder(pattern, keep string) error {
	matches, err := filepath.Glob(pattern)
	errs := []error{err}
	for _, match := range matches {
		if match != keep && !strings.Contains(match, ".new-") {
			errs = append(errs, removeIfThere(match))
		}
	}
	return errors.Join(errs...)
}
