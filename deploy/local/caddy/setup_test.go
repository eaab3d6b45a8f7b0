package caddy_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services/platform/errtest"
)

// site is a small export: what the web build leaves, in miniature.
var site = map[string]string{
	"out/index.html":                            landing,
	"out/404.html":                              "page not found",
	"out/auth.html":                             "auth",
	"out/auth/callback.html":                    "callback",
	"out/auth/callback.txt":                     "1:[]\n",
	"out/blog.html":                             "<script>blog</script>",
	"out/blog/first.html":                       "first article",
	"out/blog/not-found.html":                   "<script>no article</script>",
	"out/_not-found.html":                       "leftover",
	"out/profile.html":                          "profile",
	"out/profile/__next.!KGFwcCk.$d$x.PAGE.txt": "1:[]\n",
	"out/picture.png":                           "picture",
	"out/favicon.ico":                           "icon",
	"out/robots.txt":                            "Sitemap: https://origin.site.invalid/sitemap.xml",
	"out/site.webmanifest":                      `{"name":"Name.site.invalid"}`,
	"out/.env":                                  "KEY=left behind",
	"out/.git/config":                           "left behind",
	"out/_next/static/chunks/a1b.js":            "script",
	"out/_next/static/chunks/a1b.js.br":         "script in brotli",
	"config/config.json":                        `{"analytics":{}}`,
	"previous/_next/static/chunks/old.js":       "script of the previous version",
	"secret.txt":                                "beside the site",
}

// landing is long enough to be compressed.
var landing = "<script>landing</script>" + strings.Repeat(" landing", 100)

// policyWith is the policy of a page with these sources of scripts and of connections.
func policyWith(scripts, connections string) string {
	return "default-src 'self'; script-src 'self'" + scripts + "; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'" + connections +
		"; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
}

// policyOf is the policy of a page with an inline script.
func policyOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return policyWith(" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", "")
}

// built is Caddy as `make run` builds it, and the Caddyfile.
func built(t *testing.T) (program, caddyfile string) {
	t.Helper()
	printer := progress.New(io.Discard)
	defer printer.Close()
	builder, err := prepare.Here(printer)
	errtest.None(t, err)
	program, err = builder.Caddy(t.Context())
	errtest.None(t, err)
	return program, filepath.Join(builder.Root, "deploy", "caddy", "Caddyfile")
}

// siteDir holds the miniature site.
func siteDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range site {
		path := filepath.Join(dir, name)
		errtest.None(t, os.MkdirAll(filepath.Dir(path), 0o755))
		errtest.None(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

// door is a front door on the miniature site with a gateway behind it.
func door(t *testing.T, gateway string, changes ...func(*caddy.Options)) (origin string) {
	t.Helper()
	dir := siteDir(t)
	program, caddyfile := built(t)
	free := ports.New()
	port, err := free.Port()
	errtest.None(t, err)
	ops, err := free.Port()
	errtest.None(t, err)
	opts := caddy.Options{
		Program: program, Caddyfile: caddyfile, Port: port, OpsPort: ops, Gateway: gateway,
		Export: filepath.Join(dir, "out"), ConfigDir: filepath.Join(dir, "config"),
		StateDir: filepath.Join(dir, "caddy"), LogFile: filepath.Join(dir, "caddy.log"),
		Settings: []string{"FLEDGE_PREVIOUS=" + filepath.Join(dir, "previous")},
	}
	for _, change := range changes {
		change(&opts)
	}
	process, err := caddy.Start(t.Context(), opts)
	errtest.None(t, err)
	stopAtEnd(t, process)
	return caddy.Origin(opts.Port)
}

func stopAtEnd(t *testing.T, process *subprocess.Process) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := process.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

type answer struct {
	*http.Response
	text string
}

func get(t *testing.T, method, url string, header http.Header) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	errtest.None(t, err)
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	// A transport of its own that neither decompresses nor follows.
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	errtest.None(t, err)
	return answer{resp, string(body)}
}
