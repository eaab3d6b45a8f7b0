package provider_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/provider"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
)

const site = "https://fledge.example"

// TestCheck: a made-up code gets invalid_grant from a provider that takes the credentials.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
		fails  bool
	}{
		"accepted":           {http.StatusBadRequest, `{"error":"invalid_grant","error_description":"Malformed auth code."}`, "", false},
		"a wrong secret":     {http.StatusUnauthorized, `{"error":"invalid_client"}`, "invalid_client", false},
		"a removed redirect": {http.StatusBadRequest, `{"error":"redirect_uri_mismatch"}`, "redirect_uri_mismatch", false},
		"a page":             {http.StatusOK, `<html>`, "", true},
		"no error":           {http.StatusOK, `{"access_token":"x"}`, "", true},
		"an outage":          {http.StatusBadGateway, `{"error":"invalid_client"}`, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.Path+" "+r.PostFormValue("client_id")+" "+r.PostFormValue("client_secret")+" "+r.PostFormValue("redirect_uri"))
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			t.Cleanup(server.Close)
			metrics := prometheus.NewRegistry()
			checker, err := provider.NewChecker(provider.Config{StandInURL: server.URL, Timeout: time.Second}, site, clock.System(), metrics)
			errtest.None(t, err)
			results, err := checker.Check(t.Context())
			want := []provider.Result{{Provider: "google", Refused: c.want}, {Provider: "apple", Refused: c.want}}
			if c.fails {
				want = nil
			}
			if (err != nil) != c.fails || !slices.Equal(results, want) {
				t.Errorf("%+v, %v", results, err)
			}
			if gauge(t, metrics) != map[bool]int{true: 0, false: 2}[c.fails] {
				t.Error("a provider that gave no answer has a result, or one that did has none")
			}
			if len(asked) != 2 || asked[0] != "/google/oauth/token fledge-local-google fledge-local-google-not-a-secret "+site+"/api/auth/kratos/self-service/methods/oidc/callback/google" {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

func gauge(t *testing.T, metrics *prometheus.Registry) int {
	t.Helper()
	families, err := metrics.Gather()
	errtest.None(t, err)
	if len(families) == 0 {
		return 0
	}
	return len(families[0].GetMetric())
}

func TestApplesClientSecret(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	errtest.None(t, err)
	apple := kratosconfig.Apple{ClientID: "com.example.web", TeamID: "ABCDE12345", KeyID: "FGHIJ67890", PrivateKey: config.Secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))}
	secret, err := provider.SignSecret(apple, time.Now())
	errtest.None(t, err)
	var claims jwt.RegisteredClaims
	parsed, err := jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuer("ABCDE12345"), jwt.WithSubject("com.example.web"), jwt.WithAudience("https://appleid.apple.com"), jwt.WithExpirationRequired()).
		ParseWithClaims(secret, &claims, func(*jwt.Token) (any, error) { return &key.PublicKey, nil })
	if err != nil || parsed.Header["kid"] != "FGHIJ67890" || claims.ExpiresAt.Sub(claims.IssuedAt.Time) > 6*30*24*time.Hour {
		t.Errorf("%+v, %v", claims, err)
	}
}

func TestConfig(t *testing.T) {
	google := kratosconfig.Google{ClientID: "1.apps.googleusercontent.com", ClientSecret: "s"}
	for name, c := range map[string]struct {
		config provider.Config
		wrong  string
	}{
		"nothing":               {provider.Config{Timeout: 1}, ""},
		"Google":                {provider.Config{Google: google, Timeout: 1}, ""},
		"half of Google":        {provider.Config{Google: kratosconfig.Google{ClientID: "1.apps.googleusercontent.com"}, Timeout: 1}, "GOOGLE_CLIENT_SECRET"},
		"half of Apple":         {provider.Config{Apple: kratosconfig.Apple{ClientID: "com.example.web"}, Timeout: 1}, "APPLE_TEAM_ID"},
		"two ways":              {provider.Config{Google: google, StandInURL: "http://127.0.0.1:1", Timeout: 1}, "KRATOS_STAND_IN_URL"},
		"a path":                {provider.Config{StandInURL: "http://127.0.0.1:1/x", Timeout: 1}, "KRATOS_STAND_IN_URL"},
		"no time for an answer": {provider.Config{}, "PROVIDER_TIMEOUT"},
	} {
		err := c.config.Validate()
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
