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
	id, err := uuid.NewRandom()
	if err != nil {
		return "", time.Time{}, fmt.Errorf("token: %w", err)
	}
	kid, key := signer.Signing()
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, authn.Claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{brand.Audience}, Subject: s.UserID.String(), ID: id.String(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires),
		},
		SessionID: s.SessionID.String(), Email: s.Email,
	})
	t.Header["typ"], t.Header["kid"] = authn.TokenType, kid
	if token, err = t.SignedString(key); err != nil {
		return "", time.Time{}, fmt.Errorf("token: %w", err)
	}
	return token, expires, nil
}
