package prepare

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/state"
	"fledge.dev/services/platform/errtest"
)

func newBuilder(t *testing.T) *Builder {
	t.Helper()
	root := t.TempDir()
	dir, err := state.Open(filepath.Join(root, ".local"))
	errtest.None(t, err)
	printer := progress.New(io.Discard)
	t.Cleanup(printer.Close)
	return New(root, dir, printer)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	errtest.None(t, os.MkdirAll(filepath.Dir(path), 0o755))
	errtest.None(t, os.WriteFile(path, []byte(content), 0o755))
}

// fakePath puts programs of a few shell lines into PATH, before all others.
func fakePath(t *testing.T, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range programs {
		write(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestRequireNodeNamesTheMend(t *testing.T) {
	for version, ok := range map[string]bool{
		"v20.19.0": true, "v24.21.0": true, "v100.0.0": true, "v20.18.3": false, "v18.20.0": false, "nonsense": false,
	} {
		fakePath(t, map[string]string{"node": "echo " + version, "npm": ""})
		err := RequireNode(t.Context())
		if (err == nil) != ok {
			t.Errorf("%s: %v", version, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "install Node.js 20.19 or newer") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v", version, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if err := RequireNode(t.Context()); err == nil || !strings.Contains(err.Error(), "npm is not in PATH") {
		t.Errorf("without npm: %v", err)
	}
}

const (
	lockFile = `{"packages":{"":{"name":"x"},
		"node_modules/a":{"version":"1.0.0","integrity":"sha512-a"},
		"node_modules/b":{"version":"2.0.0","integrity":"sha512-b","optional":true,"os":["darwin"]}}}`
	presentAll   = `{"packages":{"node_modules/a":{"version":"1.0.0","integrity":"sha512-a"}}}`
	presentOlder = `{"packages":{"node_modules/a":{"version":"0.9.0","integrity":"sha512-z"}}}`
)

func TestInstalledComparesWhatIsThereWithTheLockfile(t *testing.T) {
	for name, tc := range map[string]struct {
		present string
		want    bool
	}{
		"the same": {presentAll, true}, "another version": {presentOlder, false}, "one missing": {`{"packages":{}}`, false},
		"broken": {"{", false}, "nothing": {"", false},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "package-lock.json"), lockFile)
		if tc.present != "" {
			write(t, filepath.Join(dir, "node_modules", ".package-lock.json"), tc.present)
		}
		if got := installed(dir); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// site is a web folder whose build is counted.
func site(t *testing.T, b *Builder) (web string, builds func() int) {
	t.Helper()
	web = filepath.Join(b.Root, "web")
	write(t, filepath.Join(web, "package-lock.json"), lockFile)
	write(t, filepath.Join(web, "node_modules", ".package-lock.json"), presentAll)
	write(t, filepath.Join(web, "src", "page.tsx"), "one")
	log := filepath.Join(b.Root, "builds")
	fakePath(t, map[string]string{"npm": "echo built >> '" + log + "'; mkdir -p out; touch out/index.html"})
	return web, func() int {
		content, _ := os.ReadFile(log)
		return strings.Count(string(content), "built")
	}
}

func TestTheSiteIsBuiltWhenItsSourcesChange(t *testing.T) {
	b := newBuilder(t)
	web, builds := site(t, b)
	for _, step := range []struct {
		name   string
		change func()
		want   int
	}{
		{"first", func() {}, 1},
		{"nothing changed", func() {}, 1},
		{"touched only", func() { write(t, filepath.Join(web, "src", "page.tsx"), "one") }, 1},
		{"a build's own leavings", func() { write(t, filepath.Join(web, ".next", "cache"), "x") }, 1},
		{"content changed", func() { write(t, filepath.Join(web, "src", "page.tsx"), "two") }, 2},
		{"renamed", func() { _ = os.Rename(filepath.Join(web, "src", "page.tsx"), filepath.Join(web, "src", "other.tsx")) }, 3},
		{"output gone", func() { _ = os.RemoveAll(filepath.Join(web, "out")) }, 4},
	} {
		step.change()
		if _, err := b.Site(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := builds(); got != step.want {
			t.Errorf("%s: %d builds, want %d", step.name, got, step.want)
		}
	}
}

func TestAFailedBuildIsTriedAgainAndExplainedInOneLine(t *testing.T) {
	for name, tc := range map[string]struct{ script, want string }{
		"no space":      {"echo 'write /x: no space left on device'; exit 1", "no disk space left: free some"},
		"npm full":      {"echo 'npm error ENOSPC: no space left'; exit 1", "no disk space left: free some"},
		"offline":       {"echo 'getaddrinfo ENOTFOUND somewhere'; exit 1", "check the network"},
		"npm's proxy":   {"echo 'npm error code ECONNREFUSED'; echo 'npm error A complete log of this run can be found in: x'; exit 1", "HTTPS_PROXY"},
		"Go's proxy":    {"echo 'proxyconnect tcp: dial tcp 127.0.0.1:9: connect: connection refused'; exit 1", "HTTPS_PROXY"},
		"a certificate": {"echo 'npm error code SELF_SIGNED_CERT_IN_CHAIN'; exit 1", "NODE_EXTRA_CA_CERTS"},
		"other":         {"echo first; echo the reason; exit 3", "the reason"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder(t)
			_, builds := site(t, b)
			good := os.Getenv("PATH")
			fakePath(t, map[string]string{"npm": tc.script})
			_, err := b.Site(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
			t.Setenv("PATH", good)
			if _, err := b.Site(t.Context()); err != nil || builds() != 1 {
				t.Errorf("second try: %v, %d builds", err, builds())
			}
		})
	}
}

func TestAToolIsBuiltOnceForItsFiles(t *testing.T) {
	b := newBuilder(t)
	module := filepath.Join(b.Root, "deploy", "caddy", "go.mod")
	source := filepath.Join(b.Root, "deploy", "caddy", "main.go")
	write(t, module, "module one")
	write(t, source, "package one")
	log := filepath.Join(b.Root, "builds")
	// go build -o <path> …: the path is the third argument.
	fakePath(t, map[string]string{"go": "echo built >> '" + log + "'; touch \"$3\""})
	built := func() int {
		content, _ := os.ReadFile(log)
		return strings.Count(string(content), "built")
	}
	first, err := b.Caddy(t.Context())
	errtest.None(t, err)
	if again, err := b.Caddy(t.Context()); err != nil || again != first || built() != 1 {
		t.Errorf("again: %s, %v, %d builds", again, err, built())
	}
	for i, file := range []string{module, source, filepath.Join(b.Root, "deploy", "caddy", "site", "install.go")} {
		write(t, file, "two")
		second, err := b.Caddy(t.Context())
		if err != nil || second == first || built() != 2+i {
			t.Errorf("after an update of %s: %s, %v, %d builds", file, second, err, built())
		}
		if exists(first) || !exists(second) {
			t.Error("the old program is kept or the new one missing")
		}
		first = second
	}
}

func TestTogetherEndsWithTheFirstFailure(t *testing.T) {
	boom := errors.New("boom")
	err := Together(t.Context(),
		func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		func(context.Context) error { return boom },
	)
	if !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func TestBrowserIsTheOneThatIsNamed(t *testing.T) {
	fakePath(t, map[string]string{"my-chromium": ""})
	t.Setenv("CHROMIUM", "my-chromium")
	if program, err := chromium(); err != nil || filepath.Base(program) != "my-chromium" {
		t.Errorf("%s, %v", program, err)
	}
	t.Setenv("CHROMIUM", "no-such-browser")
	if _, err := chromium(); err == nil {
		t.Error("a browser that is not there was found")
	}
}

func TestTheHeadlessShellIsNotNeeded(t *testing.T) {
	t.Setenv("CHROMIUM", "")
	t.Setenv("PATH", t.TempDir())
	if got := HeadlessShell(); got != "" {
		t.Errorf("without one: %s", got)
	}
	fakePath(t, map[string]string{headlessShell: ""})
	if got := HeadlessShell(); filepath.Base(got) != headlessShell {
		t.Errorf("with one: %q", got)
	}
	t.Setenv("CHROMIUM", "my-chromium")
	if got := HeadlessShell(); got != "" {
		t.Errorf("with another browser asked for: %s", got)
	}
}

func TestWhatTheSystemLacksIsInstalledOrNamed(t *testing.T) {
	b := newBuilder(t)
	log := filepath.Join(b.Root, "apt")
	fakePath(t, map[string]string{"apt-get": "echo \"$@\" >> '" + log + "'; test \"$1\" = update || test -e '" + log + ".known'; s=$?; touch '" + log + ".known'; exit $s"})
	err := b.system(t.Context(), "Chromium", "chromium")
	content, _ := os.ReadFile(log)
	if os.Geteuid() != 0 {
		if err == nil || !strings.Contains(err.Error(), "apt-get install chromium") || len(content) > 0 {
			t.Errorf("as a normal user: %v, ran %q", err, content)
		}
		return
	}
	const want = "install --yes --no-install-recommends chromium\nupdate\ninstall --yes --no-install-recommends chromium\n"
	if err != nil || string(content) != want {
		t.Errorf("as root: %v, ran %q", err, content)
	}
}

func TestAMacsBrowserIsFoundWhereProgramsAre(t *testing.T) {
	applications := t.TempDir()
	t.Setenv("APPLICATIONS", applications)
	t.Setenv("CHROMIUM", "")
	t.Setenv("PATH", t.TempDir())
	if program, err := chromium(); !errors.Is(err, errNoBrowser) {
		t.Errorf("found %q, %v", program, err)
	}
	for _, name := range []string{"Chromium", "Google Chrome"} { // the better one last
		want := filepath.Join(applications, name+".app", "Contents", "MacOS", name)
		write(t, want, "#!/bin/sh\n")
		if program, err := chromium(); program != want {
			t.Errorf("found %q, want %q: %v", program, want, err)
		}
	}
}
