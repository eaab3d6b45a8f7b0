package charttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"regexp"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/certstest"
)

// samples are an operator's secrets by key; the chart of production makes none.
var samples = map[string]string{
	"INTERNAL_TOKEN":         strings.Repeat("i", 48),
	"HOOK_KEY":               strings.Repeat("h", 48),
	"DATABASE_URL":           "postgres://service:password@db.example:5432/service?sslmode=disable&target_session_attrs=read-write",
	"NATS_PASSWORD":          strings.Repeat("n", 32),
	"KEY_ENCRYPTION_KEY":     base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
	"STRIPE_SECRET_KEY":      "sk_live_" + strings.Repeat("s", 24), // not-a-secret
	"STRIPE_WEBHOOK_SECRETS": "whsec_" + strings.Repeat("w", 24),   // not-a-secret
	"SMTP_PASSWORD":          "password",
	"IMAP_PASSWORD":          "password",
	"MAIL_IN_REPLY_KEYS":     strings.Repeat("r", 32),
	"TICKET_WEBHOOK_URL":     "https://hooks.example/tickets",
	"TICKET_WEBHOOK_SECRET":  strings.Repeat("t", 32),
	"GITHUB_TOKEN":           "token",
	"KRATOS_DATABASE_URL":    "postgres://kratos:password@db.example:5432/kratos?sslmode=verify-full&target_session_attrs=read-write",
	"KRATOS_COOKIE_SECRETS":  strings.Repeat("c", 32),
	"KRATOS_CIPHER_SECRETS":  strings.Repeat("d", 32),
	"GOOGLE_CLIENT_SECRET":   "secret",
	"APPLE_PRIVATE_KEY":      appleKey(),
	"tls.crt":                "certificate",
	"tls.key":                "key",
	"ca.crt":                 authorityPEM(),
}

func authorityPEM() string {
	made, err := certstest.New(time.Hour)
	if err != nil {
		panic(err)
	}
	return string(made.PEM())
}

func appleKey() string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// TestDocumentedValuesAreTaken: each block of values for other people's clusters renders over production.
func TestDocumentedValuesAreTaken(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(contentOf(t, "../../deploy/docs/other-clusters.md"), -1)
	if len(blocks) == 0 {
		t.Fatal("no block of values")
	}
	for _, block := range blocks {
		values := over(t, "production", block[1])
		if _, err := renderValues(values, false); err != nil {
			t.Errorf("%s%v", block[1], err)
		}
	}
}
