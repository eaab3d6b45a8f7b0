package authn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/expirable"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

const (
	// TokenType is the "typ" header of access tokens (RFC 9068).
	TokenType = "at+jwt"
	// Algorithm is the only accepted "alg".
	Algorithm = "EdDSA"

	// Leeway is how far the clocks of the issuer and a verifier may be apart. The gateway's is its machine's, as it has
	// no database to ask for the time.
	Leeway = time.Minute

	maxTokenSize = 4096
	cacheSize    = 10_000
	cacheFor     = time.Minute
)

// Claims are the contents of an access token.
type Claims struct {
	jwt.RegisteredClaims
	SessionID string `json:"sid,omitempty"`
	Email     string `json:"email,omitempty"`
	// ClientID and Scope are for servers of ours, which have no session and no address.
	ClientID string `json:"client_id,omitempty"`
	Scope    string `json:"scope,omitempty"`
}

// principal returns whom the claims speak for, if they make sense.
func (c Claims) principal(token string) (Principal, error) {
	if c.ClientID != "" {
		if c.Subject != c.ClientID || c.Scope != ScopeSpend || c.Email != "" || c.SessionID != "" {
			return Principal{}, ErrBadToken
		}
		return Principal{Server: c.ClientID, Bearer: token}, nil
	}
	if _, err := uuid.Parse(c.Subject); err != nil || c.Email == "" || c.SessionID == "" {
		return Principal{}, ErrBadToken
	}
	return Principal{UserID: c.Subject, Email: c.Email, SessionID: c.SessionID, Bearer: token}, nil
}

// UnmarshalJSON refuses times that are not numbers, which the JWT library would
// read from strings (RFC 7519 section 2, NumericDate).
func (c *Claims) UnmarshalJSON(raw []byte) error {
	var times struct {
		ExpiresAt json.RawMessage `json:"exp"`
		NotBefore json.RawMessage `json:"nbf"`
		IssuedAt  json.RawMessage `json:"iat"`
	}
	if err := json.Unmarshal(raw, &times); err != nil {
		return err
	}
	for _, t := range []json.RawMessage{times.ExpiresAt, times.NotBefore, times.IssuedAt} {
		if bytes.HasPrefix(t, []byte(`"`)) {
			return errors.New("authn: a time is not a number")
		}
	}
	type plain Claims
	return json.Unmarshal(raw, (*plain)(c))
}

// Verifier checks access tokens. A verified token is remembered for a minute at
// most and never beyond its expiry or its key, since checking the signature costs more than
// everything else a cheap read does.
type Verifier struct {
	keys   *Keys
	clock  clock.Clock
	parser *jwt.Parser
	cache  *expirable.LRU[[sha256.Size]byte, verified]
}

type verified struct {
	principal Principal
	key       string
	expires   time.Time
}

// NewVerifier returns a verifier for tokens issued by issuer, the site's origin.
func NewVerifier(issuer string, keys *Keys, clk clock.Clock) *Verifier {
	return &Verifier{
		keys: keys, clock: clk,
		parser: jwt.NewParser(
			jwt.WithValidMethods([]string{Algorithm}), jwt.WithIssuer(issuer), jwt.WithAudience(brand.Audience),
			jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(Leeway), jwt.WithStrictDecoding(),
			jwt.WithTimeFunc(clk.Now)),
		cache: expirable.NewLRU[[sha256.Size]byte, verified](cacheSize, nil, cacheFor),
	}
}

// Verify returns whom the token speaks for. It fails with ErrBadToken, or with a
// fault of kind Unavailable when the keys cannot be had.
func (v *Verifier) Verify(ctx context.Context, token string) (Principal, error) {
	if len(token) > maxTokenSize {
		return Principal{}, ErrBadToken
	}
	sum := sha256.Sum256([]byte(token))
	if hit, ok := v.cache.Get(sum); ok && v.clock.Now().Before(hit.expires) {
		if _, err := v.keys.Find(ctx, hit.key); err != nil {
			return Principal{}, err
		}
		return hit.principal, nil
	}
	var claims Claims
	var kid string
	_, err := v.parser.ParseWithClaims(token, &claims, func(t *jwt.Token) (any, error) {
		if t.Header["typ"] != TokenType {
			return nil, errors.New("wrong typ")
		}
		if _, ok := t.Header["crit"]; ok { // RFC 7515 section 4.1.11: we understand no extension
			return nil, errors.New("unknown extension")
		}
		kid, _ = t.Header["kid"].(string)
		return v.keys.Find(ctx, kid)
	})
	if err != nil {
		if errors.Is(err, fault.Unavailable) {
			return Principal{}, fault.Of(err)
		}
		return Principal{}, ErrBadToken.Wrap(err)
	}
	p, err := claims.principal(token)
	if err != nil {
		return Principal{}, err
	}
	v.cache.Add(sum, verified{p, kid, claims.ExpiresAt.Time})
	return p, nil
}
