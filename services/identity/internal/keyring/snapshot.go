package keyring

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"

	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/authn"
)

// snapshot is one reading of the keys. It never changes.
type snapshot struct {
	keys    []Key
	read    time.Time
	kid     string
	signing ed25519.PrivateKey
	refresh token.Secrets
	jwks    []byte
}

func (s *Sealer) openAll(keys []Key) (*snapshot, error) {
	opened := &snapshot{keys: keys}
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	var current []byte
	var others [][]byte
	// The newest first: most tokens that come back were made lately.
	for _, k := range slices.Backward(keys) {
		secret, err := s.open(k.Sealed, k.ID, k.Purpose)
		if err != nil {
			return nil, fmt.Errorf("keyring: key %s %w", k.ID, err)
		}
		switch {
		case k.Purpose == AccessToken:
			private := ed25519.NewKeyFromSeed(secret)
			if k.State == Active {
				opened.kid, opened.signing = k.ID, private
			}
			set.Keys = append(set.Keys, jose.JSONWebKey{KeyID: k.ID, Algorithm: authn.Algorithm, Use: "sig", Key: private.Public()})
		case k.State == Active:
			current = secret
		default:
			// Next too: another replica may take it a moment before this one.
			others = append(others, secret)
		}
	}
	opened.refresh = token.NewSecrets(current, others...)
	var err error
	opened.jwks, err = json.Marshal(set)
	return opened, err
}
