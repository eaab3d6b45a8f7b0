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
// rows cannot be swapped.
type Sealer struct{ aead cipher.AEAD }

// NewSealer takes a base64 (standard alphabet) key of EncryptionKeySize bytes.
func NewSealer(key config.Secret) (*Sealer, error) {
	raw, err := base64.StdEncoding.DecodeString(key.Reveal())
	if err != nil || len(raw) != EncryptionKeySize {
		return nil, fmt.Errorf("keyring: the encryption key must be %d bytes in base64", EncryptionKeySize)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return &Sealer{aead}, nil
}

func (s *Sealer) seal(secret []byte, id string, purpose Purpose) []byte {
	return s.aead.Seal(nil, nil, secret, additional(id, purpose)) //nolint:gosec // G407: this AEAD draws its own random nonce
}

var errCannotOpen = errors.New("cannot be opened: KEY_ENCRYPTION_KEY is not the one it was sealed under")

func (s *Sealer) open(sealed []byte, id string, purpose Purpose) ([]byte, error) {
	secret, err := s.aead.Open(nil, nil, sealed, additional(id, purpose))
	if err != nil {
		return nil, errCannotOpen
	}
	return secret, nil
}

func additional(id string, purpose Purpose) []byte { return []byte(string(purpose) + "\x00" + id) }
