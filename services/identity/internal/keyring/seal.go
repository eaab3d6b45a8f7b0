package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"

	"fledge.dev/services/platform/config"
)

// EncryptionKeySize is the size of KEY_ENCRYPTION_KEY in bytes, before base64.
const EncryptionKeySize = 32

// Sealer encrypts keys for the database: AES-256-GCM with a random nonce in
// front. A sealed key opens only under the id and purpose it was sealed for, so
// rows cannot be swapped. It seals under the first encryption key, and opens
// what was sealed under any of them.
type Sealer struct{ aeads []cipher.AEAD }

// NewSealer takes a list of base64 (standard alphabet) keys of EncryptionKeySize bytes, the newest first.
func NewSealer(keys config.Secret) (*Sealer, error) {
	s := &Sealer{}
	for _, key := range keys.Split() {
		aead, err := newAEAD(string(key))
		if err != nil {
			return nil, err
		}
		s.aeads = append(s.aeads, aead)
	}
	if len(s.aeads) == 0 {
		return nil, errEncryptionKey
	}
	return s, nil
}

var errEncryptionKey = fmt.Errorf("keyring: each encryption key must be %d bytes in base64", EncryptionKeySize)

func newAEAD(key string) (cipher.AEAD, error) {
	raw, err := base64.StdEncoding.DecodeString(key)
	if err != nil || len(raw) != EncryptionKeySize {
		return nil, errEncryptionKey
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return aead, nil
}

func (s *Sealer) seal(secret []byte, id string, purpose Purpose) []byte {
	return s.aeads[0].Seal(nil, nil, secret, additional(id, purpose)) //nolint:gosec // G407: this AEAD draws its own random nonce
}

var errCannotOpen = errors.New("cannot be opened: KEY_ENCRYPTION_KEY does not have the one it was sealed under")

func (s *Sealer) open(sealed []byte, id string, purpose Purpose) ([]byte, error) {
	for _, aead := range s.aeads {
		if secret, err := aead.Open(nil, nil, sealed, additional(id, purpose)); err == nil {
			return secret, nil
		}
	}
	return nil, errCannotOpen
}

// renewed is k sealed under the first encryption key, if another one of the list opens it.
func (s *Sealer) renewed(k Key) Key {
	if _, err := s.aeads[0].Open(nil, nil, k.Sealed, additional(k.ID, k.Purpose)); err == nil {
		return k
	}
	if secret, err := s.open(k.Sealed, k.ID, k.Purpose); err == nil {
		k.Sealed = s.seal(secret, k.ID, k.Purpose)
	}
	return k
}

func additional(id string, purpose Purpose) []byte { return []byte(string(purpose) + "\x00" + id) }
