package secrettoken_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"fledge.dev/services/platform/secrettoken"
)

func TestTokensAreLongAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		token, hash := secrettoken.New()
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil || len(raw) != 32 || seen[token] {
			t.Fatalf("%q, %v", token, err)
		}
		seen[token] = true
		if found, ok := secrettoken.Hash(token); !ok || !bytes.Equal(found, hash) || !bytes.Equal(secrettoken.Sum(token), hash) || bytes.Contains(hash, raw) {
			t.Fatalf("%q has the hash %x, found by %x, %t", token, hash, found, ok)
		}
	}
}

func TestOtherFormsAreNoTokens(t *testing.T) {
	token, _ := secrettoken.New()
	for _, wrong := range []string{
		"", "x", token[1:], token + "A", token[:42] + "\n" + token[42:], token[:42] + "=", strings.Repeat("/", 43),
		strings.Repeat("a", 44), strings.Repeat("a", 5000),
	} {
		if _, ok := secrettoken.Hash(wrong); ok {
			t.Errorf("%.50q passes for a token", wrong)
		}
	}
}
