package mac

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
)

// Secret is a token, code or verifier. It does not print itself: neither fmt nor
// slog shows more than that there is one, unless it is in an unexported field,
// which fmt prints without asking. JSON carries it as it is.
type Secret string

const hidden = "[secret]"

// Format implements fmt.Formatter for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// randomBytes makes verifiers and states of 43 characters, the shortest that
// RFC 7636 section 4.1 allows and as much as SHA-256 can carry.
const randomBytes = 32

func random() string {
	b := make([]byte, randomBytes)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return base64.RawURLEncoding.EncodeToString(b)
}

// challenge is what the site sees of a verifier before the exchange (S256,
// RFC 7636 section 4.2).
func challenge(verifier Secret) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
