package kratosconfig_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
)

// production is an operator's environment.
func production(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"SITE_ORIGIN":         "https://fledge.example",
		"KRATOS_DATABASE_URL": "postgres://kratos:s3cret@db:5432/kratos?sslmode=verify-full&target_session_attrs=read-write",
		"KRATOS_ADMIN_URL":    "http://kratos-admin:4434", "KRATOS_HOOK_URL": "http://identity-hooks:8090",
		"HOOK_KEY":              "fedcba9876543210fedcba9876543210",
		"KRATOS_COOKIE_SECRETS": "new-cookie-secret-of-32-letters!,\nold-cookie-secret-of-32-letters!",
		"KRATOS_CIPHER_SECRETS": "a-cipher-secret-of-32-characters",
		"GOOGLE_CLIENT_ID":      "1234-abcd.apps.googleusercontent.com", "GOOGLE_CLIENT_SECRET": "GOCSPX-x",
		"APPLE_CLIENT_ID": "example.fledge.web", "APPLE_TEAM_ID": "TEAM123456", "APPLE_KEY_ID": "0123456789",
		"APPLE_PRIVATE_KEY": appleKey(t),
	}
}

// local is the local stack's.
func local(t *testing.T) map[string]string {
	t.Helper()
	env := production(t)
	maps.DeleteFunc(env, func(name, _ string) bool {
		return strings.HasPrefix(name, "GOOGLE_") || strings.HasPrefix(name, "APPLE_")
	})
	env["SITE_ORIGIN"], env["KRATOS_STAND_IN_URL"] = "http://localhost:8080", "http://127.0.0.1:8081"
	return env
}

func load(env map[string]string) (kratosconfig.Config, error) {
	var environ []string
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	return config.Load[kratosconfig.Config](environ)
}

func pkcs8(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	errtest.None(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func appleKey(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	return pkcs8(t, key)
}

func TestWhatCannotWorkIsNamed(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	errtest.None(t, err)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	errtest.None(t, err)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	errtest.None(t, err)
	sec1, err := x509.MarshalECPrivateKey(p384)
	errtest.None(t, err)
	good := appleKey(t)
	for _, tc := range []struct{ name, wrong string }{
		{"SITE_ORIGIN", ""},
		{"SITE_ORIGIN", "https://fledge.example/"},
		{"SITE_ORIGIN", "http://fledge.example"},
		{"SITE_ORIGIN", "https://user@fledge.example"},
		{"SITE_ORIGIN", "https://localhost"},
		{"SITE_ORIGIN", "https://127.0.0.1:8443"},
		{"SITE_ORIGIN", "https://intranet"},
		{"SITE_ORIGIN", "https://fledge.test"},
		{"SITE_ORIGIN", "ftp://fledge.example"},
		{"KRATOS_DATABASE_URL", ""},
		{"KRATOS_DATABASE_URL", "memory"},
		{"KRATOS_DATABASE_URL", "host=db user=kratos"},
		{"KRATOS_DATABASE_MAX_CONNS", "0"},
		{"KRATOS_PUBLIC_ADDR", "4433"},
		{"KRATOS_PUBLIC_ADDR", "0.0.0.0:0"},
		{"KRATOS_ADMIN_ADDR", "0.0.0.0:http"},
		{"KRATOS_ADMIN_URL", "http://kratos-admin:4434/admin"},
		{"KRATOS_HOOK_URL", "identity-hooks:8090"},
		{"HOOK_KEY", "short"},
		{"KRATOS_COOKIE_SECRETS", ""},
		{"KRATOS_COOKIE_SECRETS", "longer-than-thirty-two-characters-are-no-aes-key"},
		{"KRATOS_COOKIE_SECRETS", "a-cookie-secret-of-32-characters,short"},
		{"KRATOS_CIPHER_SECRETS", "short"},
		{"GOOGLE_CLIENT_ID", ""},
		{"GOOGLE_CLIENT_ID", "GOCSPX-the-secret"},
		{"GOOGLE_CLIENT_SECRET", ""},
		{"APPLE_CLIENT_ID", ""},
		{"APPLE_CLIENT_ID", "Fledge for the web"},
		{"APPLE_APP_ID", "The Mac app"},
		{"APPLE_TEAM_ID", "TEAM"},
		{"APPLE_KEY_ID", "AuthKey_0123456789.p8"},
		{"APPLE_PRIVATE_KEY", ""},
		{"APPLE_PRIVATE_KEY", "MIGTAgEAMBMGByqGSM49"},
		{"APPLE_PRIVATE_KEY", strings.Replace(good, "\n", "", 2)},
		{"APPLE_PRIVATE_KEY", good + good},
		{"APPLE_PRIVATE_KEY", pkcs8(t, p384)},
		{"APPLE_PRIVATE_KEY", pkcs8(t, edwards)},
		{"APPLE_PRIVATE_KEY", pkcs8(t, rsaKey)},
		{"APPLE_PRIVATE_KEY", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1}))},
		{"KRATOS_STAND_IN_URL", "http://127.0.0.1:8081"},
	} {
		env := production(t)
		env[tc.name] = tc.wrong
		_, err := load(env)
		// caarlos0/env names the field where a value is of the wrong type.
		if err == nil || !strings.Contains(err.Error(), tc.name) {
			t.Errorf("%s=%q: %v", tc.name, tc.wrong, err)
		}
		if err != nil && tc.wrong != "" && strings.Contains(tc.name, "PRIVATE_KEY") && strings.Contains(err.Error(), tc.wrong) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	if _, err := load(production(t)); err != nil {
		t.Error(err)
	}
}

// TestTheStandInStaysOnThisMachine: with it anybody is anybody.
func TestTheStandInStaysOnThisMachine(t *testing.T) {
	for _, tc := range []struct {
		site, standIn string
		fits          bool
	}{
		{"http://localhost:8080", "http://127.0.0.1:8081", true},
		{"http://127.0.0.1:8080", "http://localhost:8081", true},
		{"https://localhost:8443", "http://[::1]:8081", true},
		{"https://fledge.test", "http://fledge-standins:8081", true},
		{"http://fledge.localhost:8080", "http://fledge-standins.fledge.svc:8081", true},
		{"http://fledge.test", "http://fledge-standins:8081", false}, // Secure cookies are lost there
		{"https://fledge.example", "http://fledge-standins:8081", false},
		{"https://fledge.test.example", "http://fledge-standins:8081", false},
		{"https://fledge.test", "http://accounts.example:8081", false},
		{"https://fledge.example", "http://127.0.0.1:8081", false},
		{"http://localhost.fledge.example", "http://127.0.0.1:8081", false},
		{"http://10.0.0.1:8080", "http://127.0.0.1:8081", false},
		{"http://localhost:8080", "http://10.0.0.1:8081", false},
		{"http://localhost:8080", "https://accounts.evil.example", false},
		{"http://localhost:8080", "127.0.0.1:8081", false},
	} {
		env := local(t)
		env["SITE_ORIGIN"], env["KRATOS_STAND_IN_URL"] = tc.site, tc.standIn
		if _, err := load(env); (err == nil) != tc.fits {
			t.Errorf("%s with %s: %v", tc.site, tc.standIn, err)
		}
	}
	env := local(t)
	env["GOOGLE_CLIENT_SECRET"] = "GOCSPX-x"
	if _, err := load(env); err == nil {
		t.Error("both the stand-in and Google")
	}
}

func written(t *testing.T, env map[string]string) string {
	t.Helper()
	cfg, err := load(env)
	errtest.None(t, err)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	for range 2 { // it replaces what is there
		errtest.None(t, cfg.Write(dir))
	}
	content, err := os.ReadFile(filepath.Join(dir, kratosconfig.ConfigFile))
	errtest.None(t, err)
	return string(content)
}

// TestOneTemplate: an installation and the local stack differ in places, providers
// and the cookie's prefix alone, so that what is tested here is what runs there.
func TestOneTemplate(t *testing.T) {
	differs := func(line string) bool {
		for _, word := range []string{"fledge.example", "localhost", "fledge_session", "provider", "client_", "issuer_url", "apple_", "scope", "requested_claims", "id_token"} {
			if strings.Contains(line, word) {
				return true
			}
		}
		return false
	}
	common := func(text string) (kept []string) {
		for line := range strings.Lines(text) {
			if !differs(line) {
				kept = append(kept, line)
			}
		}
		return kept
	}
	there, here := common(written(t, production(t))), common(written(t, local(t)))
	if a, b := strings.Join(there, ""), strings.Join(here, ""); a != b || len(there) < 60 {
		t.Errorf("they differ in more than that:\n%s\n%s", a, b)
	}
	if text := written(t, production(t)); strings.Contains(text, "fledge-local") || strings.Contains(text, "generic") {
		t.Error("the stand-in got into production")
	}
}

func TestWhatItWrites(t *testing.T) {
	text := written(t, production(t))
	for _, want := range []string{
		`allowed_return_urls: ["https://fledge.example/auth/callback"]`,
		`cookie: { name: "__Host-fledge_session" }`,
		`cookie: ["new-cookie-secret-of-32-letters!","old-cookie-secret-of-32-letters!"]`,
		`max_conn_idle_time=1m&max_conns=20&max_idle_conns=20&sslmode=verify-full&target_session_attrs=read-write"`,
		"host: \"\"\n    port: 4433\n", // all addresses, IPv6 included
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestSettingsDoNotShowSecrets(t *testing.T) {
	env := production(t)
	cfg, err := load(env)
	errtest.None(t, err)
	var shown strings.Builder
	errtest.None(t, config.Print(&shown, cfg))
	for _, secret := range []string{"s3cret", "fedcba98", "cookie-secret", "cipher-secret", "GOCSPX", "BEGIN PRIVATE"} {
		if strings.Contains(shown.String(), secret) {
			t.Errorf("%s is in\n%s", secret, shown.String())
		}
	}
}
