package service

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/obs"
)

// Config is what a process's settings offer: they embed Base and validate.
type Config interface {
	config.Validator
	ServiceBase() Base
}

// Migrator is a Config whose process owns a database.
type Migrator interface {
	Migrate(ctx context.Context) error
}

// version is set by the linker: -ldflags "-X fledge.dev/services/platform/service.version=…".
var version = ""

// Version returns the build's version: the linker's, else the commit that Go
// recorded, else "dev".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "dev"
}

// Main is a binary's whole main function. It exits with 0 after an orderly stop,
// 1 when running failed, and 2 when it was called or configured wrongly.
//
//	<name>                   runs until SIGTERM or SIGINT
//	<name> migrate           brings the database's schema up to date
//	<name> --validate        checks the configuration
//	<name> --print-config    shows the configuration, secrets hidden
//	<name> --version
func Main[C Config](name string, build func(context.Context, C, *Runtime) ([]Unit, error)) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	p := program[C]{name: name, build: build, environ: os.Environ(), out: os.Stdout, errOut: os.Stderr}
	os.Exit(p.run(ctx, os.Args[1:]))
}

type program[C Config] struct {
	name        string
	build       func(context.Context, C, *Runtime) ([]Unit, error)
	environ     []string
	out, errOut io.Writer
}

func (p program[C]) run(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet(p.name, flag.ContinueOnError)
	flags.SetOutput(p.errOut)
	validate := flags.Bool("validate", false, "check the configuration and exit")
	printConfig := flags.Bool("print-config", false, "show the configuration, secrets hidden, and exit")
	printVersion := flags.Bool("version", false, "show the version and exit")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *printVersion {
		_, _ = fmt.Fprintln(p.out, p.name, Version())
		return 0
	}
	cfg, err := config.Load[C](p.environ)
	if err != nil {
		return p.complain(2, err)
	}
	switch {
	case *printConfig:
		return p.outcome(config.Print(p.out, cfg))
	case *validate:
		_, _ = fmt.Fprintln(p.out, "configuration is valid")
		return 0
	case flags.NArg() == 0:
		return p.outcome(p.serve(ctx, cfg))
	case flags.NArg() == 1 && flags.Arg(0) == "migrate":
		return p.outcome(p.migrate(ctx, cfg))
	default:
		return p.complain(2, fmt.Errorf("unknown command %q; there is only migrate", flags.Args()))
	}
}

func (p program[C]) serve(ctx context.Context, cfg C) error {
	base := cfg.ServiceBase()
	rt := NewRuntime(p.name, Version(), obs.NewLogger(p.errOut, p.name, base.LogLevel))
	units, err := p.build(ctx, cfg, rt)
	if err != nil {
		return err
	}
	return Run(ctx, rt, base, units)
}

func (p program[C]) migrate(ctx context.Context, cfg C) error {
	m, ok := any(cfg).(Migrator)
	if !ok {
		_, _ = fmt.Fprintln(p.out, p.name, "owns no database: nothing to migrate")
		return nil
	}
	return m.Migrate(ctx)
}

func (p program[C]) outcome(err error) int {
	if err != nil {
		return p.complain(1, err)
	}
	return 0
}

func (p program[C]) complain(code int, err error) int {
	_, _ = fmt.Fprintf(p.errOut, "%s: %v\n", p.name, err)
	return code
}
