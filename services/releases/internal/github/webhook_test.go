package github_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/releases/internal/github"
)

const (
	hookSecret = "0123456789abcdef0123" // not-a-secret
	oldSecret  = "fedcba98765432100123" // not-a-secret
)

func webhook(secrets string) github.Webhook {
	return github.Config{WebhookSecrets: config.Secret(secrets)}.Webhook()
}

func sign(secret, payload string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// TestGitHubsOwnExample is the pair of GitHub's documentation
// (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries).
func TestGitHubsOwnExample(t *testing.T) {
	const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	if _, err := webhook("It's a Secret to Everybody").Verify([]byte("Hello, World!"), signature, "ping"); err != nil {
		t.Error(err)
	}
}

func TestWhichDeliveriesAreTaken(t *testing.T) {
	const body = `{"action":"published","release":{"id":1},"repository":{"full_name":"Fledge/fledge-mac"}}`
	good := sign(hookSecret, body)
	for name, tc := range map[string]struct {
		secrets, payload, signature, event string
		relevant                           bool
		err                                error
	}{
		"a release":               {hookSecret, body, good, "release", true, nil},
		"the old secret":          {hookSecret + "," + oldSecret, body, sign(oldSecret, body), "release", true, nil},
		"spaces between":          {" " + oldSecret + " , " + hookSecret, body, good, "release", true, nil},
		"a ping":                  {hookSecret, body, good, "ping", false, nil},
		"an event of tomorrow":    {hookSecret, body, good, "release_v2", false, nil},
		"a renamed repository":    {hookSecret, `{"repository":{"full_name":"x/y"}}`, sign(hookSecret, `{"repository":{"full_name":"x/y"}}`), "release", true, nil},
		"not JSON":                {hookSecret, `{`, sign(hookSecret, `{`), "release", true, nil},
		"not JSON, not for us":    {hookSecret, "\xff", sign(hookSecret, "\xff"), "ping", false, nil},
		"one byte more":           {hookSecret, body + "\n", good, "release", false, github.ErrSignature},
		"another secret":          {hookSecret, body, sign(oldSecret, body), "release", false, github.ErrSignature},
		"no secret, signed by ''": {"", body, sign("", body), "release", false, github.ErrNoWebhook},
		"no prefix":               {hookSecret, body, strings.TrimPrefix(good, "sha256="), "release", false, github.ErrSignature},
		"SHA-1":                   {hookSecret, body, "sha1=" + good[7:47], "release", false, github.ErrSignature},
		"cut off":                 {hookSecret, body, good[:len(good)-2], "release", false, github.ErrSignature},
		"longer":                  {hookSecret, body, good + "00", "release", false, github.ErrSignature},
		"not hexadecimal":         {hookSecret, body, "sha256=" + strings.Repeat("z", 64), "release", false, github.ErrSignature},
		"empty":                   {hookSecret, body, "", "release", false, github.ErrSignature},
		"too large":               {hookSecret, strings.Repeat(" ", 1<<20+1), sign(hookSecret, strings.Repeat(" ", 1<<20+1)), "release", false, github.ErrSignature},
	} {
		relevant, err := webhook(tc.secrets).Verify([]byte(tc.payload), tc.signature, tc.event)
		if relevant != tc.relevant || !errors.Is(err, tc.err) {
			t.Errorf("%s: %t, %v", name, relevant, err)
		}
	}
}
