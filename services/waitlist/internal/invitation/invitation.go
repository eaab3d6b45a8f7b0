// Package invitation has the tokens in the links of approval emails. Whoever has one reads
// the email of the address that was approved.
package invitation

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// Lifetime is how long a token is valid after its email was queued.
const Lifetime = 90 * 24 * time.Hour

const tokenSize = 32

// New makes a token of 256 random bits, as base64url, and its hash.
func New() (token string, hash []byte, err error) {
	random := make([]byte, tokenSize)
	if _, err := rand.Read(random); err != nil {
		return "", nil, err
	}
	token = base64.RawURLEncoding.EncodeToString(random)
	return token, hashOf(token), nil
}

// Hash returns the hash under which a presented token is stored; ok is false if it does not
// have the form of a token.
func Hash(token string) (hash []byte, ok bool) {
	random, err := base64.RawURLEncoding.Strict().DecodeString(token)
	// The decoder skips line breaks, so both lengths count.
	if err != nil || len(random) != tokenSize || len(token) != base64.RawURLEncoding.EncodedLen(tokenSize) {
		return nil, false
	}
	return hashOf(token), true
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
