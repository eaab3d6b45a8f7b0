package oidc

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"

	jose "github.com/go-jose/go-jose/v4"
)

// signingKey signs ID tokens for as long as the process lives. Kratos fetches
// the key set at every sign-in, so a new key at every start is safe.
type signingKey struct {
	id  string
	key *ecdsa.PrivateKey
}

func newSigningKey() (signingKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return signingKey{}, fmt.Errorf("signing key: %w", err)
	}
	return signingKey{id: rand.Text(), key: key}, nil
}

func (k signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.ES256 }
func (k signingKey) Key() any                                    { return k.key }
func (k signingKey) ID() string                                  { return k.id }

type publicKey struct{ signingKey }

func (k publicKey) Algorithm() jose.SignatureAlgorithm { return jose.ES256 }
func (k publicKey) Use() string                        { return "sig" }
func (k publicKey) Key() any                           { return &k.key.PublicKey }
