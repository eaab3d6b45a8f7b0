package signintest

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fledge.dev/deploy/local/child"
)

// kratos runs the real binary with a configuration.
type kratos struct {
	t           *testing.T
	binary, dir string
	admin       string // host:port of the admin listener
	args, env   []string
	log         string
}

func (k kratos) run(command ...string) *child.Process {
	k.t.Helper()
	p, err := child.Start(child.Spec{Name: "kratos", Path: k.binary, Args: append(command, k.args...), Dir: k.dir, Env: k.env, LogFile: k.log})
	if err != nil {
		k.t.Fatal(err)
	}
	return p
}

func (k kratos) migrate() {
	k.t.Helper()
	k.t.Cleanup(func() {
		if k.t.Failed() {
			content, _ := os.ReadFile(k.log)
			k.t.Logf("Kratos said:\n%s", content)
		}
	})
	p := k.run("migrate", "sql", "-e", "-y")
	<-p.Done()
	if err := p.Err(); err != nil {
		k.t.Fatalf("kratos migrate: %v", err)
	}
}

// serve returns when Kratos is ready.
func (k kratos) serve() *child.Process {
	k.t.Helper()
	p := k.run("serve")
	await(k.t, "kratos is ready", func() bool {
		select {
		case <-p.Done():
			k.t.Fatalf("kratos ended: %v", p.Err())
		default:
		}
		req, err := http.NewRequestWithContext(k.t.Context(), http.MethodGet, "http://"+k.admin+"/admin/health/ready", nil)
		if err != nil {
			k.t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return p
}

// kratosBinary is FLEDGE_KRATOS_BIN, else the newest that the local stack built.
func kratosBinary(t *testing.T, root string) string {
	t.Helper()
	if path := os.Getenv("FLEDGE_KRATOS_BIN"); path != "" {
		return path
	}
	built, err := filepath.Glob(filepath.Join(root, ".local", "bin", "kratos-*"))
	if err != nil || len(built) == 0 {
		t.Fatal("no Kratos: set FLEDGE_KRATOS_BIN, or let `make test-go` build it")
	}
	return slices.MaxFunc(built, func(a, b string) int { return modified(t, a).Compare(modified(t, b)) })
}

func modified(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}
