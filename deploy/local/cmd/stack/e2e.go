package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/deploy/standins/github"
)

// once as the first word lets only the tests that are marked so (@both) run against
// the services in one process: the forms differ in how services reach each other,
// not in what a page shows. Those marked @nightly, which load the product for minutes, run when they are asked for.
const once = "-once"

// e2e runs the browser tests against a fresh product in each form, and then
// those about an outage with its services stopped.
func e2e(ctx context.Context, builder *prepare.Builder, chosen []string) error {
	browser, err := builder.Browser(ctx)
	if err != nil {
		return err
	}
	all := suite{
		dir: filepath.Join(builder.Root, "deploy", "test", "browser"), mac: builder.State.Path("bin", "mac"),
		browser: browser, shell: prepare.HeadlessShell(), chosen: chosen,
	}
	if len(chosen) > 0 && chosen[0] == once {
		all.once, all.chosen = true, chosen[1:]
	}
	if base := os.Getenv("BASE_URL"); base != "" {
		return all.given(ctx, builder, base)
	}
	tools, err := builder.Tools(ctx, prepare.Wanted{})
	if err != nil {
		return err
	}
	var errs []error
	for _, form := range []stack.Form{stack.InProcess, stack.Processes} {
		if ctx.Err() == nil {
			builder.Progress.Print(fmt.Sprintf("\nBrowser tests, services %s\n", form))
			errs = append(errs, all.against(ctx, builder, tools, form))
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// suite is the folder of the tests and the programs that they drive.
type suite struct {
	dir, browser, shell, mac string
	// chosen are Playwright's words for some of the tests; none are all.
	chosen []string
	once   bool
}

func (s suite) against(ctx context.Context, builder *prepare.Builder, tools prepare.Tools, form stack.Form) error {
	// The tests answer in the place of these services, and decline but where they
	// look at the consent.
	analytics := stack.Analytics{PosthogKey: "phc_test", PosthogHost: "https://eu.i.posthog.com", MeasurementID: "G-TEST"}
	return fresh(ctx, builder, tools, product{form: form, analytics: analytics}, func(running *stack.Stack, _ string) error {
		control, err := startControl(ctx, running)
		if err != nil {
			return err
		}
		switch {
		case s.once && form == stack.InProcess:
			s.chosen = append([]string{"--grep", "@both"}, s.chosen...)
		case s.once && len(s.chosen) == 0:
			s.chosen = []string{"--grep-invert", "@nightly"}
		}
		err = s.play(ctx, running.URLs(), "product", "FLEDGE_CONTROL_URL="+control.url)
		if err := errors.Join(err, control.stop()); err != nil {
			return err
		}
		if err := running.StopServices(ctx); err != nil {
			return err
		}
		return s.play(ctx, running.URLs(), "outage")
	})
}

// given runs the tests against a product that runs already, in a cluster perhaps,
// with the stand-ins at names below the site's: all but those that stop services.
func (s suite) given(ctx context.Context, builder *prepare.Builder, base string) error {
	site, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil || site.Host == "" {
		return fmt.Errorf("BASE_URL %q is no address of a site", base)
	}
	at := func(name string) string { return site.Scheme + "://" + name + "." + site.Host }
	builder.Progress.Print(fmt.Sprintf("\nBrowser tests, against %s; those marked @stops need services that they can stop, and are left out\n", site))
	s.chosen = append([]string{"--grep-invert", "@stops"}, s.chosen...)
	if err := stack.LetTesterIn(ctx, site.String()); err != nil {
		return fmt.Errorf("first people: %w", err)
	}
	return s.play(ctx, stack.URLs{Site: site.String(), Mail: at("mail"), GitHub: at("github"), Stripe: at("stripe")}, "product")
}

func (s suite) play(ctx context.Context, urls stack.URLs, project string, more ...string) error {
	args := []string{"playwright", "test", "--project=" + project}
	if len(s.chosen) > 0 { // in one of the projects, perhaps
		args = append(append(args, "--pass-with-no-tests"), s.chosen...)
	}
	// Playwright empties the folder of its results first.
	args = append(args, "--output=test-results/"+project)
	cmd := exec.CommandContext(ctx, "npx", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, os.Stdout, os.Stderr
	cmd.Env = append(append(os.Environ(), more...),
		"CHROMIUM="+s.browser,
		"HEADLESS_SHELL="+s.shell,
		"FLEDGE_MAC="+s.mac,
		"FLEDGE_SITE_URL="+urls.Site,
		"FLEDGE_MAIL_URL="+urls.Mail,
		"FLEDGE_GITHUB_URL="+urls.GitHub,
		"FLEDGE_STRIPE_URL="+urls.Stripe,
		"FLEDGE_GITHUB_OWNER="+github.Owner,
		"FLEDGE_GITHUB_REPO="+github.Repo,
	)
	if err := subprocess.Run(cmd); err != nil {
		return fmt.Errorf("browser tests %s: %w", project, err)
	}
	return nil
}
