package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services"
)

// visual compares pictures of the main pages with those in deploy/test/browser/visual/baselines;
// with --update it replaces those that differ. The site stands behind the real front door,
// with nothing behind that: the pictures' API is a table.
func visual(ctx context.Context, builder *prepare.Builder, args []string) (err error) {
	if err := prepare.RequireNode(ctx); err != nil {
		return err
	}
	var browser, program, site string
	err = prepare.Together(ctx,
		func(ctx context.Context) (err error) { browser, err = builder.Browser(ctx); return err },
		func(ctx context.Context) (err error) { program, err = builder.Caddy(ctx); return err },
		func(ctx context.Context) (err error) { site, err = builder.Site(ctx); return err },
	)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fledge-visual-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := renameio.WriteFile(filepath.Join(dir, "config.json"), []byte("{}\n"), 0o644); err != nil {
		return err
	}
	mails := filepath.Join(dir, "mails")
	if err := previewMails(ctx, builder, mails); err != nil {
		return err
	}
	free := ports.New()
	port, portErr := free.Port()
	ops, opsErr := free.Port()
	nobody, addrErr := free.Addr()
	if err := errors.Join(portErr, opsErr, addrErr); err != nil {
		return err
	}
	door, err := caddy.Start(ctx, caddy.Options{
		Program: program, Caddyfile: filepath.Join(builder.Root, "deploy", "caddy", "Caddyfile"), Port: port, OpsPort: ops,
		Gateway: nobody, Export: site, ConfigDir: dir, StateDir: dir,
		LogFile: filepath.Join(dir, "log"), PIDFile: filepath.Join(dir, "pid"),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, door.Stop(context.WithoutCancel(ctx))) }()
	words := []string{"playwright", "test", "--config", "visual.config.ts"}
	for _, arg := range args {
		if arg == "--update" {
			arg = "--update-snapshots=changed"
		}
		words = append(words, arg)
	}
	cmd := exec.CommandContext(ctx, "npx", words...) //nolint:gosec // G702: the words are those of the person at the keyboard
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(builder.Root, "deploy", "test", "browser"), os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "CHROMIUM="+browser, "FLEDGE_SITE_URL="+caddy.Origin(port), "FLEDGE_MAILS_DIR="+mails)
	if err := subprocess.Run(cmd); err != nil {
		return fmt.Errorf("pictures: %w", err)
	}
	return nil
}

// previewMails has each service that sends emails write them into a directory of its name.
func previewMails(ctx context.Context, builder *prepare.Builder, dir string) error {
	for _, service := range services.All() {
		if !slices.Contains(service.Calls, "mail") {
			continue
		}
		cmd := exec.CommandContext(ctx, "go", "run", "./"+service.Name+"/cmd/"+service.Name, "mails", "preview", filepath.Join(dir, service.Name)) //nolint:gosec // G204: the names are these
		cmd.Dir, cmd.Stderr = filepath.Join(builder.Root, "services"), os.Stderr
		if err := subprocess.Run(cmd); err != nil {
			return fmt.Errorf("emails of %s: %w", service.Name, err)
		}
	}
	return nil
}
