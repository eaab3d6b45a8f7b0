// Package token creates the two tokens of a session, and parses the one that clients send
// back: access tokens are signed here and verified by every service (platform/authn),
// refresh tokens are opaque and parsed only here.
package token

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/brand"
)

// AccessLifetime is how long an access token is good for. Clients look every 30 s and
// refresh it in the last 90 s, so it must not be shorter than 3 minutes.
const AccessLifetime = 10 * time.Minute

// Signer holds the key that signs access tokens.
type Signer interface {
	Signing() (kid string, key ed25519.PrivateKey)
}

// Subject is whom an access token speaks for.
type Subject struct {
	UserID    uuid.UUID
	Email     string
	SessionID uuid.UUID
}

// Access mints an access token (RFC 9068) that ends at now + AccessLifetime or
// at notAfter, whichever is earlier. issuer is the site's origin. Times in the
// token have whole seconds; expires is the token's own.
func Access(signer Signer, issuer string, s Subject, now, notAfter time.Time) (token string, expires time.Time, err error) {
	expires = now.Add(AccessLifetime)
	if notAfter.Before(expires) {
		expires = notAfter
	}
	expires = expires.Truncate(time.Second)
	token, err = issue(signer, authn.Claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Subject: s.UserID.String(), IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires),
		},
		SessionID: s.SessionID.String(), Email: s.Email,
	})
	return token, expires, err
}

// ForServer mints an access token of a server of ours, which may spend people's credits. It
// ends at now + AccessLifetime.
func ForServer(signer Signer, issuer, clientID string, now time.Time) (string, error) {
	return issue(signer, authn.Claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Subject: clientID, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(AccessLifetime)),
		},
		ClientID: clientID, Scope: authn.ScopeSpend,
	})
}

// issue completes the claims with what all access tokens have.
func issue(signer Signer, claims authn.Claims) (string, error) {
	claims.ID, claims.Audience = uuid.NewString(), jwt.ClaimStrings{brand.Audience}
	kid, key := signer.Signing()
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	t.Header["typ"], t.Header["kid"] = authn.TokenType, kid
	signed, err := t.SignedString(key)
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	return signed, nil
}
