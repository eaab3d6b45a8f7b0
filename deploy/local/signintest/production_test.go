package signintest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/services/platform/pgtest"
)

var placeholder = regexp.MustCompile(`<[^>\n]+>`)

// TestProductionConfiguration: the real Kratos starts with what production
// ships, once the placeholders are filled in, and not before.
func TestProductionConfiguration(t *testing.T) {
	root := repository(t)
	source, dir := filepath.Join(root, "deploy", "kratos"), t.TempDir()
	for _, name := range []string{"identity.schema.json", "person.jsonnet", "hook.jsonnet", "kratos.yml", "secret.example.yml"} {
		text := strings.ReplaceAll(read(t, filepath.Join(source, name)), "file:///etc/fledge/kratos", "file://"+dir)
		write(t, filepath.Join(dir, name), text)
	}
	secret := read(t, filepath.Join(dir, "secret.example.yml"))
	secret = regexp.MustCompile(`dsn: .*`).ReplaceAllString(secret, `dsn: "`+withPool(t, pgtest.NewEmpty(t))+`"`)
	secret = strings.ReplaceAll(secret, "<exactly 32 random characters>", "0123456789abcdef0123456789abcdef")
	secret = strings.ReplaceAll(secret, "              <PKCS#8 PEM of the key>\n", indented(applePEM(t)))
	write(t, filepath.Join(dir, "secret.yml"), placeholder.ReplaceAllString(secret, "filled-in-with-32-characters-at-least"))

	free := ports.New()
	env := []string{"SERVE_PUBLIC_HOST=127.0.0.1", "SERVE_ADMIN_HOST=127.0.0.1"}
	var admin string
	for _, listener := range []string{"PUBLIC", "ADMIN"} {
		port, err := free.Port()
		if err != nil {
			t.Fatal(err)
		}
		admin = ports.Loopback(port)
		env = append(env, fmt.Sprintf("SERVE_%s_PORT=%d", listener, port))
	}
	log := filepath.Join(t.TempDir(), "kratos.log")
	showLog(t, log)
	kratos := func(secret string, command ...string) *child.Process {
		t.Helper()
		p, err := child.Start(child.Spec{
			Name: "kratos", Path: kratosBinary(t, root), Dir: dir, Env: env, LogFile: log,
			Args: append(command, "-c", filepath.Join(dir, "kratos.yml"), "-c", filepath.Join(dir, secret)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	migration := kratos("secret.yml", "migrate", "sql", "-e", "-y")
	<-migration.Done()
	if err := migration.Err(); err != nil {
		t.Fatal(err)
	}
	server := kratos("secret.yml", "serve")
	if err := ready.HTTP(t.Context(), "http://"+admin+"/admin/health/ready", http.StatusOK, server.Done(), time.Minute); err != nil {
		t.Error(err)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}

	empty := kratos("secret.example.yml", "serve")
	<-empty.Done()
	if empty.Err() == nil {
		t.Error("Kratos started with placeholders for secrets")
	}
}

func applePEM(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func indented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("              " + line)
	}
	return out.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
