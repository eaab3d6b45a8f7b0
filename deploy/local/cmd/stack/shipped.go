package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/stack"
)

// shippedSpecs are the files of the browser tests that run by default: joining, signing in, the profile, paying, staff's pages.
var shippedSpecs = []string{
	"specs/main-job", "specs/people", "specs/landing", "specs/mac.spec", "specs/oauth", "specs/second-factor", "specs/staff-sign-in",
	"specs/billing", "specs/admin", "specs/delete-account", "specs/download-data", "specs/sign-in-methods", "specs/invitation",
}

// shipped runs browser tests, by default shippedSpecs, against the product in the form
// in which it ships: programs built as for the images, two replicas of each, a public name over
// https, and the settings of an installation with Google, Apple, GitHub and Stripe. What was served and
// sent then names no place of this machine and no test's.
func shipped(ctx context.Context, builder *prepare.Builder, chosen []string) error {
	browser, err := builder.Browser(ctx)
	if err != nil {
		return err
	}
	tools, err := builder.Tools(ctx, prepare.Wanted{})
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		chosen = shippedSpecs
	}
	all := suite{
		dir: filepath.Join(builder.Root, "deploy", "test", "browser"), mac: builder.State.Path("bin", "mac"),
		browser: browser, shell: prepare.HeadlessShell(), chosen: append([]string{"--grep-invert", "@stops"}, chosen...),
	}
	form := product{
		form: stack.Processes, programs: builder.State.Path("shipped"), host: prepare.ShippedHost, replicas: stack.ReplicasOfAll(2),
	}
	return fresh(ctx, builder, tools, form, func(running *stack.Stack, state string) error {
		played := all.play(ctx, running.URLs(), "product",
			"FLEDGE_CERTIFICATE_KEY="+running.IngressKey(), "NODE_EXTRA_CA_CERTS="+os.Getenv("SSL_CERT_FILE"))
		return errors.Join(played, updates(ctx, builder.Root, running.URLs().Site, state), library(ctx, builder.State.Path("bin", "mac.test"), running.URLs().Site), readAll(ctx, running.URLs().Site), namesNoTest(tools.Export, state))
	})
}

// library signs in by golang.org/x/oauth2, from the tests of the product.
func library(ctx context.Context, tests, site string) error {
	cmd := exec.CommandContext(ctx, tests, "-test.v", "-test.run", "SiteThatRuns$")
	cmd.Env = append(os.Environ(), "FLEDGE_SITE_URL="+site)
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err == nil && !bytes.Contains(said, []byte("--- PASS")) {
		err = errors.New("nothing was tested")
	}
	if err != nil {
		return fmt.Errorf("golang.org/x/oauth2: %w: %s", err, said)
	}
	return nil
}

// read are what programs read and no page asks for: feeds, maps, metadata, keys.
var read = []string{
	"/feed.xml", "/sitemap.xml", "/robots.txt", "/.well-known/oauth-authorization-server", "/api/auth/jwks.json", "/api/openapi.json", "/api/health",
	"/api/updates/latest-mac.yml", "/api/updates/beta-mac.yml", "/api/updates/alpha-mac.yml", "/api/updates/darwin-arm64/0.0.1", "/api/updates/darwin-x64/0.0.1",
}

// readAll asks the site for read, so that these are among the answers that namesNoTest looks into.
func readAll(ctx context.Context, site string) error {
	client := http.Client{Timeout: 10 * time.Second}
	var errs []error
	for _, path := range read {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, site+path, nil) //nolint:gosec // G704: the stack names its site
		if err != nil {
			return err
		}
		resp, err := client.Do(req) //nolint:gosec // G704: the same
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_, err = io.Copy(io.Discard, resp.Body)
		errs = append(errs, err, resp.Body.Close())
		if resp.StatusCode >= http.StatusBadRequest && !strings.HasPrefix(path, "/api/updates/") { // where nothing may be offered
			errs = append(errs, fmt.Errorf("%s: %s", path, resp.Status))
		}
	}
	return errors.Join(errs...)
}

// here are addresses of this machine: as places, for libraries in scripts compare with the names.
const here = `(?i)//(localhost|127\.0\.0\.1)|\b(localhost|127\.0\.0\.1):\d`

// elsewhere are names that nothing of an installation may carry. A ".test(" is a call.
var elsewhere = regexp.MustCompile(here + `|[a-z0-9-]\.test(?:[^\w(]|$)|[a-z0-9-]\.example\b|fledge-local`)

// ours are what is no part of the product: the addresses of the people whom the tests made up, the
// placeholder of an article, and the place on a Mac at which its app waits for an answer.
var ours = regexp.MustCompile(`[A-Za-z0-9._+-]+@fledge\.test|review@yourdomain\.example|http://127\.0\.0\.1:(?:\d+|<port>|&lt;port&gt;|\\u003cport\\u003e)/auth/callback`)

// answered are names that no answer may carry: in what people wrote there may be any domain.
var answered = regexp.MustCompile(here + `|fledge\.example\b|fledge\.test\b|fledge-local`)

// softBreak is the end of a line of an email where the text has none.
var softBreak = regexp.MustCompile(`=\r?\n`)

// namesNoTest looks into everything that the front door served from its folders and answered, with
// the claims of tokens, every email that was sent, and the programs' logs, where the addresses of
// this machine are where they listen.
func namesNoTest(export, state string) error {
	var found []error
	for _, part := range []struct {
		dir   string
		names *regexp.Regexp
		logs  bool
	}{
		{filepath.Join(state, "caddy", "site", "pages"), elsewhere, false},
		{filepath.Join(export, "_next"), elsewhere, false},
		{filepath.Join(state, "site"), elsewhere, false},
		{filepath.Join(state, "mail"), elsewhere, false},
		{filepath.Join(state, "log"), elsewhere, true},
		{filepath.Join(state, stack.AnswersDir), answered, false},
	} {
		looked := 0
		err := filepath.WalkDir(part.dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, ".br") || strings.HasSuffix(path, ".gz") {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			looked++
			if strings.HasSuffix(path, ".eml") {
				content = softBreak.ReplaceAll(content, nil)
			}
			content = ours.ReplaceAll(content, []byte("somebody"))
			for _, name := range part.names.FindAllIndex(content, 3) {
				word := content[name[0]:name[1]]
				if part.logs && bytes.Contains(word, []byte("127.0.0.1")) {
					continue
				}
				around := content[max(0, name[0]-60):min(len(content), name[1]+40)]
				found = append(found, fmt.Errorf("%s names %q: …%q…", path, word, around))
			}
			return nil
		})
		if err == nil && looked == 0 {
			err = fmt.Errorf("%s: nothing to look at", part.dir)
		}
		found = append(found, err)
	}
	return errors.Join(found...)
}
