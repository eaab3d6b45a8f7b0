// Package oauthclient knows the servers of ours that get access tokens by OAuth's client
// credentials (RFC 6749, section 4.4).
package oauthclient

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/secrettoken"
)

// ErrRefused is for whoever is no client of ours.
var ErrRefused = fault.New(fault.Unauthenticated, "invalid_client", "The client is not known, or its secret is another.")

var (
	errForm = errors.New(`must be words of the form <client id>:<hash>, as "identity oauth-client" prints them`)
	// id is never a UUID: those name accounts.
	id = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
)

// Clients are the clients by their ids, each with the SHA-256 of its secrets. Secrets are made here and
// cannot be guessed, so that a slow hash would protect nothing.
type Clients map[string][][sha256.Size]byte

// Parse reads "builder:<hash> builder:<hash>": a client may have several secrets, while one replaces the other.
func Parse(setting config.Secret) (Clients, error) {
	clients := Clients{}
	for word := range strings.FieldsSeq(setting.Reveal()) {
		name, text, _ := strings.Cut(word, ":")
		raw, err := hex.DecodeString(text)
		if err != nil || len(raw) != sha256.Size || !id.MatchString(name) {
			return nil, errForm
		}
		clients[name] = append(clients[name], [sha256.Size]byte(raw))
	}
	return clients, nil
}

// Check fails with ErrRefused unless the secret is the client's.
func (c Clients) Check(clientID, secret string) error {
	sum, known := secrettoken.Sum(secret), 0
	for _, hash := range c[clientID] {
		known |= subtle.ConstantTimeCompare(sum, hash[:])
	}
	if known == 0 {
		return ErrRefused
	}
	return nil
}

// New makes a secret of a client, and the word for the setting.
func New(clientID string) (secret, word string, err error) {
	if !id.MatchString(clientID) {
		return "", "", errors.New("a client id has 1 to 32 small letters, digits and hyphens, and begins with a letter")
	}
	secret, hash := secrettoken.New()
	return secret, clientID + ":" + hex.EncodeToString(hash), nil
}
