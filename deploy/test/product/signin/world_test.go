package signin

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fledge.dev/deploy/local/kratos"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/gateway"
	"fledge.dev/services/identity"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

const (
	internalToken = "0123456789abcdef0123456789abcdef"
	hookKey       = "fedcba9876543210fedcba9876543210"
	encryptionKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
)

// world is everything that takes part in a sign-in, but for the browser.
type world struct {
	t         *testing.T
	origin    string // the site: here it is the gateway alone
	oidc      string
	rawKratos string // Kratos' public listener, which nobody outside reaches
	admin     string // its admin listener
	kratos    *subprocess.Process
	start     func() *subprocess.Process
	identity  *service.Runtime
	gateway   *service.Runtime
	hooks     *hookLine

	free                                      *ports.Allocator
	shared, identitySettings, gatewaySettings map[string]string
	kratosConfig                              kratosconfig.Config
}

// newWorld is one with a replica of each; change may change what the programs are told.
func newWorld(t *testing.T, change ...func(*world)) *world {
	t.Helper()
	w := emptyWorld(t)
	addr, grpcAddr, hookAddr := w.addr(), w.addr(), w.addr()
	w.lead(addr, hookAddr)
	for _, f := range change {
		f(w)
	}
	w.identity = run(t, "identity", identity.New, w.shared, w.identitySettings, map[string]string{"GRPC_ADDR": grpcAddr, "HOOK_ADDR": hookAddr})
	w.startKratos()
	w.gateway = run(t, "gateway", gateway.New, w.shared, w.gatewaySettings, map[string]string{"HTTP_ADDR": addr, "IDENTITY_ADDR": grpcAddr})
	return w
}

// emptyWorld is one that has free addresses only.
func emptyWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, free: ports.New()}
}

// addr is a free one.
func (w *world) addr() string {
	w.t.Helper()
	addr, err := w.free.Addr()
	errtest.None(w.t, err)
	return addr
}

// lead makes siteAddr the site and hookAddr what Kratos reports to, starts the provider
// and settles everything that the programs are told.
func (w *world) lead(siteAddr, hookAddr string) {
	t := w.t
	t.Helper()
	publicAddr, adminAddr := w.addr(), w.addr()
	w.origin, w.rawKratos, w.admin = local(siteAddr), local(publicAddr), "http://"+adminAddr
	w.hooks = newHookLine(t, hookAddr)

	provider, err := oidc.Start(t.Context(), oidc.Options{Addr: "127.0.0.1:0", SiteOrigin: w.origin})
	errtest.None(t, err)
	t.Cleanup(func() {
		if err := provider.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.oidc = provider.URL()

	w.shared = map[string]string{
		"SITE_ORIGIN": w.origin, "INTERNAL_TOKEN": internalToken, "OPS_ADDR": "",
		"MAIL_FROM": "Fledge <hello@fledge.test>", "MAIL_REPLY_TO": "support@fledge.test",
		"KRATOS_PUBLIC_URL": "http://" + publicAddr, "KRATOS_ADMIN_URL": "http://" + adminAddr,
	}
	w.identitySettings = map[string]string{
		"HOOK_KEY":     hookKey,
		"DATABASE_URL": pgtest.NewEmpty(t), "DATABASE_DEADLINE": "10s",
		"KEY_ENCRYPTION_KEY":        encryptionKey,
		"BOOTSTRAP_ADMIN_EMAILS":    "admin@fledge.test",
		"HAND_OFF_TOKENS":           "true",
		"KRATOS_STAND_IN_URL":       w.oidc,
		"KRATOS_RECONCILE_INTERVAL": "200ms", "KRATOS_FULL_RECONCILE_INTERVAL": "500ms",
	}
	nowhere := "127.0.0.1:1"
	w.gatewaySettings = map[string]string{
		"SIGN_IN_LIMIT_BURST": "1000", "TRUSTED_PROXIES": "127.0.0.1/32",
		"WAITLIST_ADDR": nowhere, "BILLING_ADDR": nowhere, "SUPPORT_ADDR": nowhere, "RELEASES_ADDR": nowhere,
	}
	w.kratosConfig = kratosconfig.Config{
		SiteOrigin: w.origin, StandInURL: w.oidc, DatabaseURL: config.Secret(pgtest.NewEmpty(t)), MaxConns: 4,
		PublicAddr: publicAddr, AdminAddr: adminAddr, AdminURL: "http://" + adminAddr,
		HookURL: w.hooks.url, HookKey: hookKey,
		CookieSecrets: []config.Secret{"a-cookie-secret-of-32-characters"},
		CipherSecrets: []config.Secret{"a-cipher-secret-of-32-characters"},
	}
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
	rt, _ := launch(t, name, build, settings...)
	return rt
}

// launch runs a service in this process until stop, which waits for its graceful end, or the end of the test.
func launch[C serviceConfig](t *testing.T, name string, build func(context.Context, C, *service.Runtime) ([]service.Unit, error), settings ...map[string]string) (rt *service.Runtime, stop func()) {
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
	errtest.None(t, err)
	rt = service.NewRuntime(name, "test", obs.NewLogger(io.Discard, name, slog.LevelError))
	units, err := build(t.Context(), cfg, rt)
	errtest.None(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx, rt, cfg.ServiceBase(), units) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("%s stopped with %v", name, err)
		}
	})
	t.Cleanup(stop)
	waittest.Eventually(t, name+" is ready", func() bool {
		select {
		case err := <-done:
			done <- err
			t.Fatalf("%s ended: %v", name, err)
		default:
		}
		return rt.Health.Check(t.Context()).Ready
	})
	return rt, stop
}

// startKratos runs Kratos the way the local stack does.
func (w *world) startKratos() {
	w.t.Helper()
	dir := w.t.TempDir()
	opts := kratos.Options{
		Program: kratosBinary(w.t, repository(w.t)), Dir: filepath.Join(dir, "kratos"),
		LogFile: filepath.Join(dir, "kratos.log"), PIDFile: filepath.Join(dir, "kratos.pid"),
	}
	showLog(w.t, opts.LogFile)
	w.start = func() *subprocess.Process {
		opts.Config = w.kratosConfig
		p, err := kratos.Start(w.t.Context(), opts)
		errtest.None(w.t, err)
		return p
	}
	w.kratos = w.start()
	w.t.Cleanup(func() {
		if err := w.kratos.Stop(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
}
