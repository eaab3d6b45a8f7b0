// Package secrettoken has the tokens that whoever holds them may use, of which a database keeps the hash alone.
package secrettoken

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

const size = 32

// New makes a token of 256 random bits, as base64url, and its hash.
func New() (token string, hash []byte) {
	random := make([]byte, size)
	_, _ = rand.Read(random) // never fails
	token = base64.RawURLEncoding.EncodeToString(random)
	return token, Sum(token)
}

// Hash returns the hash under which a presented token is stored; ok is false if it does not
// have the form of one that New makes.
func Hash(token string) (hash []byte, ok bool) {
	random, err := base64.RawURLEncoding.Strict().DecodeString(token)
	// The decoder skips line breaks, so both lengths count.
	if err != nil || len(random) != size || len(token) != base64.RawURLEncoding.EncodedLen(size) {
		return nil, false
	}
	return Sum(token), true
}

// Sum is the hash of a secret of any form, its SHA-256. What cannot be guessed needs no slow hash.
func Sum(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
