package token

import (
	"bytes"

	"fledge.dev/services/platform/secrettoken"
)

// Secrets are the secrets that refresh tokens are made under. New tokens take
// the current one; tokens of the others are read until their families must have
// ended. The zero value reads nothing.
type Secrets struct {
	current []byte
	others  [][]byte
}

// NewSecrets returns secrets of which current makes new tokens.
func NewSecrets(current []byte, others ...[]byte) Secrets { return Secrets{current, others} }

// Parse reads a token made under any of the secrets, see ParseRefresh.
func (s Secrets) Parse(token string) (Refresh, error) {
	for secret := range s.each {
		if r, err := ParseRefresh(secret, token); err == nil {
			return r, nil
		}
	}
	return Refresh{}, ErrMalformed
}

// New makes the token of r under the current secret.
func (s Secrets) New(r Refresh) (token string) { return r.String(s.current) }

// Again makes the token of r that hash was stored of, under the secret it was
// made under the first time. ok is false when that secret is gone.
func (s Secrets) Again(r Refresh, hash []byte) (token string, ok bool) {
	for secret := range s.each {
		if token := r.String(secret); bytes.Equal(secrettoken.Sum(token), hash) {
			return token, true
		}
	}
	return "", false
}

func (s Secrets) each(yield func([]byte) bool) {
	if len(s.current) == 0 || !yield(s.current) {
		return
	}
	for _, secret := range s.others {
		if !yield(secret) {
			return
		}
	}
}
