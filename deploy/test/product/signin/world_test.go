package signin

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/kratos"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/gateway"
	"fledge.dev/services/identity"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

const (
	internalToken = "0123456789abcdef0123456789abcdef"
	hookKey       = "fedcba9876543210fedcba9876543210"
)

// world is everything that takes part in a sign-in, but for the browser.
type world struct {
	t         *testing.T
	origin    string // the site: here it is the gateway alone
	oidc      string
	rawKratos string // Kratos' public listener, which nobody outside reaches
	admin     string // its admin listener
	kratos    *child.Process
	start     func() *child.Process
	identity  *service.Runtime
	gateway   *service.Runtime
	hooks     *hookLine
}

func newWorld(t *testing.T) *world {
	t.Helper()
	free := ports.New()
	addr := func() string {
		a, err := free.Addr()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	gatewayAddr, grpcAddr, hookAddr, publicAddr, adminAddr := addr(), addr(), addr(), addr(), addr()
	w := &world{t: t, origin: local(gatewayAddr), rawKratos: local(publicAddr), admin: "http://" + adminAddr, hooks: newHookLine(t, hookAddr)}

	provider, err := oidc.Start(t.Context(), oidc.Options{Addr: "127.0.0.1:0", SiteOrigin: w.origin})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := provider.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.oidc = provider.URL()

	shared := map[string]string{
		"SITE_ORIGIN": w.origin, "INTERNAL_TOKEN": internalToken, "OPS_ADDR": "",
		"KRATOS_PUBLIC_URL": "http://" + publicAddr, "KRATOS_ADMIN_URL": "http://" + adminAddr,
	}
	w.identity = run(t, "identity", identity.New, shared, map[string]string{
		"GRPC_ADDR": grpcAddr, "HOOK_ADDR": hookAddr, "HOOK_KEY": hookKey,
		"DATABASE_URL": pgtest.NewEmpty(t), "DATABASE_DEADLINE": "10s",
		"KEY_ENCRYPTION_KEY":        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
		"BOOTSTRAP_ADMIN_EMAILS":    "admin@fledge.test",
		"HAND_OFF_TOKENS":           "true",
		"KRATOS_STAND_IN_URL":       w.oidc,
		"KRATOS_RECONCILE_INTERVAL": "200ms", "KRATOS_FULL_RECONCILE_INTERVAL": "500ms",
	})
	w.startKratos(kratosconfig.Config{
		SiteOrigin: w.origin, StandInURL: w.oidc, DatabaseURL: config.Secret(pgtest.NewEmpty(t)), MaxConns: 4,
		PublicAddr: publicAddr, AdminAddr: adminAddr, AdminURL: "http://" + adminAddr,
		HookURL: w.hooks.url, HookKey: hookKey,
		CookieSecrets: []config.Secret{"a-cookie-secret-of-32-characters"},
		CipherSecrets: []config.Secret{"a-cipher-secret-of-32-characters"},
	})
	nowhere := "127.0.0.1:1"
	w.gateway = run(t, "gateway", gateway.New, shared, map[string]string{
		"HTTP_ADDR": gatewayAddr, "IDENTITY_ADDR": grpcAddr, "SIGN_IN_LIMIT_BURST": "1000",
		"WAITLIST_ADDR": nowhere, "BILLING_ADDR": nowhere, "SUPPORT_ADDR": nowhere, "RELEASES_ADDR": nowhere,
	})
	return w
}

// local is an address by the name that browsers file cookies under.
func local(addr string) string {
	_, port, _ := strings.Cut(addr, ":")
	return "http://localhost:" + port
}

type serviceConfig interface {
	config.Validator
	ServiceBase() service.Base
}

// run runs a service in this process until the test ends.
func run[C serviceConfig](t *testing.T, name string, build func(context.Context, C, *service.Runtime) ([]service.Unit, error), settings ...map[string]string) *service.Runtime {
	t.Helper()
	all := map[string]string{}
	for _, s := range settings {
		maps.Copy(all, s)
	}
	var environ []string
	for key, value := range all {
		environ = append(environ, key+"="+value)
	}
	cfg, err := config.Load[C](environ)
	if err != nil {
		t.Fatal(err)
	}
	rt := service.NewRuntime(name, "test", obs.NewLogger(io.Discard, name, slog.LevelError))
	units, err := build(t.Context(), cfg, rt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx, rt, cfg.ServiceBase(), units) }()
	waittest.Eventually(t, name+" is ready", func() bool {
		select {
		case err := <-done:
			t.Fatalf("%s ended: %v", name, err)
		default:
		}
		return rt.Health.Check(t.Context()).Ready
	})
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("%s stopped with %v", name, err)
		}
	})
	return rt
}

// startKratos runs Kratos the way the local stack does.
func (w *world) startKratos(c kratosconfig.Config) {
	w.t.Helper()
	dir := w.t.TempDir()
	opts := kratos.Options{
		Program: kratosBinary(w.t, repository(w.t)), Dir: filepath.Join(dir, "kratos"), Config: c,
		LogFile: filepath.Join(dir, "kratos.log"), PIDFile: filepath.Join(dir, "kratos.pid"),
	}
	showLog(w.t, opts.LogFile)
	w.start = func() *child.Process {
		p, err := kratos.Start(w.t.Context(), opts)
		if err != nil {
			w.t.Fatal(err)
		}
		return p
	}
	w.kratos = w.start()
	w.t.Cleanup(func() {
		if err := w.kratos.Stop(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
}
