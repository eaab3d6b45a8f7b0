package oidc

import (
	"crypto/ecdsa"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// PublicGoogleClientID is Google's client where the stand-in has Google's name: the form of a
// real one, with the usual secret.
const PublicGoogleClientID = "1234-fledge.apps.googleusercontent.com"

// PublicApple is Apple under its own name: the issuer is at the root of Host over https, and the
// client has the secrets that it signs itself by its key.
type PublicApple struct {
	Host                    string
	ClientID, TeamID, KeyID string
	Key                     *ecdsa.PublicKey
}

// knows verifies a secret, see "Creating a client secret" of Apple's documentation.
func (a PublicApple) knows(secret string) bool {
	token, err := jwt.ParseSigned(secret, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil || token.Headers[0].KeyID != a.KeyID {
		return false
	}
	var claims jwt.Claims
	if token.Claims(a.Key, &claims) != nil || claims.Expiry == nil {
		return false
	}
	return claims.Validate(jwt.Expected{Issuer: a.TeamID, Subject: a.ClientID, AnyAudience: jwt.Audience{"https://" + a.Host}, Time: time.Now()}) == nil
}

// publicly returns the kind, and the name under which it is Google's or Apple's own; "" is the usual one.
func (opts *Options) publicly(usual *kind) (k *kind, host string) {
	public := *usual
	switch usual {
	case google:
		if host = opts.GoogleHost; host != "" {
			public.clientID = PublicGoogleClientID
		}
	case apple:
		if host = opts.Apple.Host; host != "" {
			public.clientID, public.knows = opts.Apple.ClientID, opts.Apple.knows
		}
	}
	return &public, host
}
