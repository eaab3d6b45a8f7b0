package service

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
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

// gcPercent lets the heap grow to five times what is in use before garbage is collected,
// unless GOGC says otherwise: some MiB are in use, so that with Go's 100 a tenth of the
// time of a busy process goes into collecting, many times a second. GOMEMLIMIT holds.
const gcPercent = 400

// version is set by the linker: -ldflags "-X fledge.dev/services/platform/service.version=…".
var version = ""

// Version returns the build's version: the linker's or, without one, the commit that Go
// recorded; otherwise "dev".
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
//	<name> <command>         runs one of commands
//	<name> --validate        checks the configuration
//	<name> --print-config    shows the configuration, secrets hidden
//	<name> --version
//	<name> --help            shows this; <name> <command> --help shows more
func Main[C Config](name string, build func(context.Context, C, *Runtime) ([]Unit, error), commands ...Command) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	p := program[C]{name: name, build: build, commands: commands, environ: os.Environ(), in: os.Stdin, out: os.Stdout, errOut: os.Stderr}
	os.Exit(p.run(ctx, os.Args[1:]))
}

type program[C Config] struct {
	name        string
	build       func(context.Context, C, *Runtime) ([]Unit, error)
	commands    []Command
	environ     []string
	in          io.Reader
	out, errOut io.Writer
}

// run returns the exit code.
func (p program[C]) run(ctx context.Context, args []string) int {
	err := p.do(ctx, args)
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintf(p.errOut, "%s: %v\n", p.name, err)
	if _, ok := errors.AsType[misuse](err); ok {
		return 2
	}
	return 1
}

func (p program[C]) do(ctx context.Context, args []string) error {
	commands := append([]Command{migrate[C]()}, p.commands...)
	flags := flag.NewFlagSet(p.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	validate := flags.Bool("validate", false, "")
	printConfig := flags.Bool("print-config", false, "")
	printVersion := flags.Bool("version", false, "")
	err := flags.Parse(args)
	call := Call{Environ: p.environ, In: p.in, Out: p.out}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return writeHelp(p.out, p.name, commands)
	case err != nil:
		return misuse{error: err}
	case *printVersion:
		_, err := fmt.Fprintln(p.out, p.name, Version())
		return err
	case flags.NArg() > 0 && (*validate || *printConfig):
		return Misuse("--validate and --print-config go with no command")
	case flags.NArg() > 0:
		call.Runtime = NewRuntime(p.name, Version(), obs.NewLogger(p.errOut, p.name, slog.LevelInfo))
		return dispatch(ctx, commands, flags.Args(), call)
	}
	cfg, err := Settings[C](call)
	switch {
	case err != nil:
		return err
	case *printConfig:
		return config.Print(p.out, cfg)
	case *validate:
		_, err := fmt.Fprintln(p.out, "configuration is valid")
		return err
	}
	return Serve(ctx, p.name, p.build, cfg, p.errOut)
}

// Serve runs what build makes, and after it the further units, until ctx ends or a unit fails.
func Serve[C Config](ctx context.Context, name string, build func(context.Context, C, *Runtime) ([]Unit, error), cfg C, log io.Writer, further ...Unit) error {
	base := cfg.ServiceBase()
	rt, err := base.Runtime(ctx, name, log)
	if err != nil {
		return err
	}
	units, err := build(ctx, cfg, rt)
	if err != nil {
		return err
	}
	return Run(ctx, rt, base, append(units, further...))
}
