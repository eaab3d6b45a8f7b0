package signin

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/kratos"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/services/identity"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
)

const site = "https://fledge.example"

// installation is a Kratos as an operator runs it, with real providers.
type installation struct {
	t       *testing.T
	options kratos.Options
	env     []string
	db      string
	public  string
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	free := ports.New()
	public, publicErr := free.Addr()
	admin, adminErr := free.Addr()
	if publicErr != nil || adminErr != nil {
		t.Fatal(publicErr, adminErr)
	}
	dir, db := filepath.Join(t.TempDir(), "kratos"), pgtest.NewEmpty(t)
	keyFile := filepath.Join(t.TempDir(), "AuthKey_0123456789.p8")
	errtest.None(t, os.WriteFile(keyFile, applePEM(t), 0o600))
	i := &installation{t: t, db: db, public: "http://" + public, env: []string{
		"SITE_ORIGIN=" + site, "KRATOS_DATABASE_URL=" + db, "KRATOS_DATABASE_MAX_CONNS=4",
		"KRATOS_PUBLIC_ADDR=" + public, "KRATOS_ADMIN_ADDR=" + admin, "KRATOS_ADMIN_URL=http://" + admin,
		"KRATOS_HOOK_URL=http://identity-hooks:8090", "HOOK_KEY=" + hookKey,
		"KRATOS_COOKIE_SECRETS=a-cookie-secret-of-32-characters,the-cookie-secret-of-last-year!!",
		"KRATOS_CIPHER_SECRETS=a-cipher-secret-of-32-characters,the-cipher-secret-of-last-year!!",
		"GOOGLE_CLIENT_ID=1234-abcd.apps.googleusercontent.com", "GOOGLE_CLIENT_SECRET=GOCSPX-\"quoted\"",
		"APPLE_CLIENT_ID=example.fledge.web", "APPLE_TEAM_ID=TEAM123456", "APPLE_KEY_ID=0123456789", "APPLE_PRIVATE_KEY_FILE=" + keyFile,
	}}
	cfg, err := config.Load[kratosconfig.Config](i.env)
	errtest.None(t, err)
	i.options = kratos.Options{Program: kratosBinary(t, repository(t)), Dir: dir, Config: cfg, LogFile: filepath.Join(t.TempDir(), "kratos.log")}
	showLog(t, i.options.LogFile)
	return i
}

// start does what the init container and the container of Kratos do.
func (i *installation) start() *subprocess.Process {
	i.t.Helper()
	commands := identity.Commands()
	command := commands[slices.IndexFunc(commands, func(c service.Command) bool { return c.Name == "kratos-config" })]
	var out bytes.Buffer
	rt := service.NewRuntime("identity", "test", obs.NewLogger(&out, "identity", 0))
	errtest.None(i.t, command.Run(i.t.Context(), service.Call{Args: []string{i.options.Dir}, Environ: i.env, Out: &out, Runtime: rt}))
	process, err := kratos.Start(i.t.Context(), i.options)
	errtest.None(i.t, err)
	i.t.Cleanup(func() {
		if err := process.Stop(context.Background()); err != nil {
			i.t.Error(err)
		}
	})
	return process
}

// ask speaks to Kratos as the gateway does.
func (i *installation) ask(method, path string, body, answer any) int {
	i.t.Helper()
	payload, err := json.Marshal(body)
	errtest.None(i.t, err)
	req, err := http.NewRequestWithContext(i.t.Context(), method, i.public+path, bytes.NewReader(payload))
	errtest.None(i.t, err)
	req.Header = http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}}
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	errtest.None(i.t, err)
	defer func() { _ = resp.Body.Close() }()
	errtest.None(i.t, json.NewDecoder(resp.Body).Decode(answer))
	return resp.StatusCode
}

func (i *installation) newFlow() string {
	i.t.Helper()
	var flow struct{ ID string }
	if status := i.ask(http.MethodGet, "/self-service/login/browser?return_to="+url.QueryEscape(site+"/auth/callback?redirect=/profile"), nil, &flow); status != http.StatusOK {
		i.t.Fatalf("a new flow: %d", status)
	}
	return flow.ID
}

// TestProductionConfiguration: the real Kratos takes what `identity
// kratos-config` writes for real Google and Apple.
func TestProductionConfiguration(t *testing.T) {
	i := newInstallation(t)
	i.start()
	t.Run("Apple", i.apple)
	t.Run("return addresses", i.returnAddresses)
	t.Run("clean-up", i.cleanUp)
	t.Run("readable by its owner alone", i.modes)
}

// apple: the redirect is made without asking Apple. Google's needs Google's
// discovery document.
func (i *installation) apple(t *testing.T) {
	var said struct {
		RedirectTo string `json:"redirect_browser_to"`
	}
	status := i.ask(http.MethodPost, "/self-service/login?flow="+i.newFlow(), map[string]string{"method": "oidc", "provider": "apple"}, &said)
	if status != http.StatusUnprocessableEntity {
		t.Fatalf("starting at Apple: %d", status)
	}
	to, err := url.Parse(said.RedirectTo)
	errtest.None(t, err)
	if to.Scheme+"://"+to.Host+to.Path != "https://appleid.apple.com/auth/authorize" {
		t.Errorf("leads to %s", to)
	}
	for name, want := range map[string]string{
		"client_id": "example.fledge.web", "response_mode": "form_post", "response_type": "code", "scope": "email openid",
		"redirect_uri": site + "/api/auth/kratos/self-service/methods/oidc/callback/apple",
	} {
		if got := to.Query().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if to.Query().Get("state") == "" {
		t.Error("no state")
	}
}

func (i *installation) returnAddresses(t *testing.T) {
	for _, to := range []string{site + "/", site + "/profile", site + "/api/auth/session", site + ".evil.example/auth/callback", "https://evil.example/auth/callback", "http://fledge.example/auth/callback", "fledge://auth/callback"} {
		var said struct{ Error struct{ ID string } }
		if status := i.ask(http.MethodGet, "/self-service/login/browser?return_to="+url.QueryEscape(to), nil, &said); status != http.StatusBadRequest {
			t.Errorf("%s: %d, want it refused", to, status)
		}
	}
}

func (i *installation) cleanUp(t *testing.T) {
	old, recent := i.newFlow(), i.newFlow()
	conn, err := pgx.Connect(t.Context(), i.db)
	errtest.None(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for flow, age := range map[string]time.Duration{old: 25 * time.Hour, recent: 23 * time.Hour} {
		if _, err := conn.Exec(t.Context(), `UPDATE selfservice_login_flows SET expires_at = now() - $2::interval WHERE id = $1`, flow, age); err != nil {
			t.Fatal(err)
		}
	}
	process, err := kratos.CleanUp(i.options)
	errtest.None(t, err)
	<-process.Done()
	errtest.None(t, process.Err())
	for flow, want := range map[string]bool{old: false, recent: true} {
		var kept bool
		errtest.None(t, conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM selfservice_login_flows WHERE id = $1)`, flow).Scan(&kept))
		if kept != want {
			t.Errorf("a flow that expired a day ago, or less, is kept: %t, want %t", kept, want)
		}
	}
}

func (i *installation) modes(t *testing.T) {
	entries, err := os.ReadDir(i.options.Dir)
	errtest.None(t, err)
	var names []string
	for _, entry := range entries {
		info, err := entry.Info()
		errtest.None(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %s", entry.Name(), info.Mode())
		}
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, []string{kratosconfig.ConfigFile}) {
		t.Errorf("wrote %v", names)
	}
}

func applePEM(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	errtest.None(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}
