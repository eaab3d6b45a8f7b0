// Package handoff implements the one-time code by which a signed-in browser gives the
// Mac app a session of its own (RFC 6749 section 4.1 with RFC 7636, S256). It does no I/O.
package handoff

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/secrettoken"
)

// Lifetime is how long a code is valid.
const Lifetime = 60 * time.Second

// Code is a minted code as it is kept: the code itself only as its SHA-256.
type Code struct {
	Hash []byte
	// Family is the browser that minted it.
	Family uuid.UUID
	// Callback is the exact address to which the code was sent.
	Callback string
	// Challenge is the SHA-256 of the verifier that the app holds.
	Challenge []byte
	CreatedAt time.Time
	ExpiresAt time.Time
	// Used tells of a first use; Device is the session that it opened, uuid.Nil
	// when that is gone.
	Used   bool
	Device uuid.UUID
}

// ErrChallenge is returned for what cannot be the S256 challenge of any verifier.
var ErrChallenge = errors.New("handoff: not a base64url SHA-256")

// ParseChallenge reads a code_challenge (RFC 7636 section 4.2).
func ParseChallenge(challenge string) ([]byte, error) {
	// The decoder skips line breaks, so both lengths count.
	sum, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	if err != nil || len(sum) != sha256.Size || len(challenge) != base64.RawURLEncoding.EncodedLen(sha256.Size) {
		return nil, ErrChallenge
	}
	return sum, nil
}

// Refusal is why a code was not traded. Only logs and metrics may tell.
type Refusal string

// The refusals of a code; Accepted is none.
const (
	Accepted      Refusal = ""
	Unknown       Refusal = "unknown"
	WrongVerifier Refusal = "wrong_verifier"
	// Reused is a second use by somebody who holds the verifier.
	Reused        Refusal = "reused"
	WrongCallback Refusal = "wrong_callback"
	Expired       Refusal = "expired"
)

// Verify checks a presented code. The PKCE verifier comes first: without it a caller
// may neither learn nor cause anything.
func (c Code) Verify(verifier, callback string, now time.Time) Refusal {
	switch {
	case !IsVerifier(verifier) || subtle.ConstantTimeCompare(secrettoken.Sum(verifier), c.Challenge) != 1:
		return WrongVerifier
	case c.Used:
		return Reused
	case subtle.ConstantTimeCompare([]byte(callback), []byte(c.Callback)) != 1:
		return WrongCallback
	case !now.Before(c.ExpiresAt):
		return Expired
	}
	return Accepted
}

// IsVerifier checks the form of RFC 7636 section 4.1.
func IsVerifier(s string) bool {
	if len(s) < 43 || len(s) > 128 {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.', c == '_', c == '~':
		default:
			return false
		}
	}
	return true
}
