// Package stacktest starts the whole product for a test, with a site of one page.
package stacktest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/state"
	"fledge.dev/services/platform/errtest"
)

// site is the least that the front door serves: these tests are about what is
// behind it, the browser tests bring the real one.
var site = map[string]string{
	"out/index.html": withScript, "out/404.html": "not found", "out/auth/callback.html": "signed in",
	"out/profile.html": withScript, "out/closed-beta.html": withScript, "out/_next/static/chunks/a1b.js": "0",
}

const withScript = `landing<script src="/_next/static/chunks/a1b.js"></script>`

// Options describes a stack with state of its own that goes with the test.
func Options(t testing.TB, form stack.Form) stack.Options {
	t.Helper()
	printer := progress.New(t.Output())
	t.Cleanup(printer.Close)
	opts, err := Prepared(t.Context(), t.TempDir(), form, printer)
	errtest.None(t, err)
	return opts
}

// Prepared describes a stack whose state and site are in scratch.
func Prepared(ctx context.Context, scratch string, form stack.Form, printer *progress.Printer) (stack.Options, error) {
	for name, content := range site {
		path := filepath.Join(scratch, "web", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			return stack.Options{}, err
		}
	}
	builder, err := prepare.Here(printer)
	if err != nil {
		return stack.Options{}, err
	}
	dir, err := state.Open(filepath.Join(scratch, "state"))
	if err != nil {
		return stack.Options{}, err
	}
	opts := stack.Options{
		Root: builder.Root, State: dir, Form: form, Progress: printer, Programs: builder.State.Path("bin"),
		Tools: prepare.Tools{Export: filepath.Join(scratch, "web", "out")},
	}
	return opts, prepare.Together(ctx,
		func(ctx context.Context) (err error) {
			opts.Tools.PostgresBin, err = builder.Postgres(ctx)
			return err
		},
		func(ctx context.Context) (err error) { opts.Tools.Kratos, err = builder.Kratos(ctx); return err },
		func(ctx context.Context) (err error) { opts.Tools.Caddy, err = builder.Caddy(ctx); return err },
		func(ctx context.Context) error {
			if form == stack.InProcess {
				return nil
			}
			return builder.Programs(ctx, opts.Programs, prepare.ProcessPackages()...)
		},
	)
}

// Start starts a stack and stops it when the test ends, which must go well. After
// a failure the ends of the logs are shown.
func Start(t testing.TB, opts stack.Options) *stack.Stack {
	t.Helper()
	s, err := stack.Start(t.Context(), opts)
	errtest.None(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			showLogs(t, opts.State)
		}
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// showLogs prints the end of every part's log.
func showLogs(t testing.TB, dir state.Dir) {
	logs, _ := filepath.Glob(dir.Log("*"))
	const tail = 1500
	for _, log := range logs {
		content, _ := os.ReadFile(log)
		t.Logf("%s:\n%s", filepath.Base(log), content[max(0, len(content)-tail):])
	}
}
