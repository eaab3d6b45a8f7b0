// Package authntest issues access tokens for tests, signed by a key of its own,
// and verifies them the way production does.
package authntest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
)

// Origin is the issuer of the tokens.
const Origin = "http://localhost:8080"

// Issuer signs tokens and answers as identity would about accounts.
type Issuer struct {
	t     testing.TB
	clock clock.Clock
	key   ed25519.PrivateKey
	kid   string

	mu       sync.Mutex
	accounts map[string]account // by id
}

// account is what identity knows of one.
type account struct {
	email                               string // in the latest token
	admin, moderator, disabled          bool
	signedOut, onMac, lacksSecondFactor bool
	signedIn                            time.Time // zero is always a moment ago
}

// New returns an issuer with a fresh key. A nil clock is the system's.
func New(t testing.TB, clk clock.Clock) *Issuer {
	t.Helper()
	if clk == nil {
		clk = clock.System()
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	errtest.None(t, err)
	return &Issuer{t: t, clock: clk, key: key, kid: uuid.NewString(), accounts: map[string]account{}}
}

// User returns the id and a token of a new account with the given address.
func (i *Issuer) User(email string) (id, token string) {
	id = uuid.NewString()
	return id, i.Token(id, email, nil)
}

// Admin is User for an account that holds the admin role, in a browser whose sign-in is always
// fresh.
func (i *Issuer) Admin(email string) (id, token string) {
	id, token = i.User(email)
	i.SetAdmin(id, true)
	return id, token
}

// Moderator is User for an account that holds the moderator role.
func (i *Issuer) Moderator(email string) (id, token string) {
	id, token = i.User(email)
	i.change(id, func(a *account) { a.moderator = true })
	return id, token
}

// Token signs a token for ten minutes; change may spoil its claims and headers.
func (i *Issuer) Token(userID, email string, change func(claims *authn.Claims, header map[string]any)) string {
	i.t.Helper()
	i.change(userID, func(a *account) { a.email = email })
	now := i.clock.Now()
	claims := &authn.Claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: Origin, Subject: userID, Audience: jwt.ClaimStrings{brand.Audience}, ID: uuid.NewString(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(10 * time.Minute)),
		},
		SessionID: uuid.NewString(), Email: email,
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["typ"], token.Header["kid"] = authn.TokenType, i.kid
	if change != nil {
		change(claims, token.Header)
	}
	signed, err := token.SignedString(i.key)
	errtest.None(i.t, err)
	return signed
}

// Server signs a token of a server of ours, for ten minutes.
func (i *Issuer) Server(clientID string) string {
	return i.Token(clientID, "", func(c *authn.Claims, _ map[string]any) {
		c.SessionID, c.ClientID, c.Scope = "", clientID, authn.ScopeSpend
	})
}

// Forge signs any header and claims with the issuer's key, whatever they say.
func (i *Issuer) Forge(header, claims map[string]any) string {
	i.t.Helper()
	unsigned := encode(i.t, header) + "." + encode(i.t, claims)
	return unsigned + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(i.key, []byte(unsigned)))
}

func encode(t testing.TB, part map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(part)
	errtest.None(t, err)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// KeyID is the id of the issuer's key.
func (i *Issuer) KeyID() string { return i.kid }

// PublicKey is what verifies the issuer's tokens.
func (i *Issuer) PublicKey() ed25519.PublicKey { return i.key.Public().(ed25519.PublicKey) }

func (i *Issuer) change(userID string, change func(*account)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	a := i.accounts[userID]
	change(&a)
	i.accounts[userID] = a
}

// SetAdmin gives or takes the admin role.
func (i *Issuer) SetAdmin(userID string, admin bool) {
	i.change(userID, func(a *account) { a.admin = admin })
}

// Disable makes the account inactive.
func (i *Issuer) Disable(userID string) {
	i.change(userID, func(a *account) { a.disabled = true })
}

// Enable makes it active again.
func (i *Issuer) Enable(userID string) {
	i.change(userID, func(a *account) { a.disabled = false })
}

// SignOut ends every session of the account; its tokens stay valid by themselves.
func (i *Issuer) SignOut(userID string) {
	i.change(userID, func(a *account) { a.signedOut = true })
}

// UseMac makes the account's sessions those of Macs.
func (i *Issuer) UseMac(userID string) {
	i.change(userID, func(a *account) { a.onMac = true })
}

// RequireSecondFactor makes the account one that needs a second factor and has not verified it.
func (i *Issuer) RequireSecondFactor(userID string) {
	i.change(userID, func(a *account) { a.lacksSecondFactor = true })
}

// SignedInAgo makes the account's sign-in as old as that; from now on it ages.
func (i *Issuer) SignedInAgo(userID string, age time.Duration) {
	i.change(userID, func(a *account) { a.signedIn = i.clock.Now().Add(-age) })
}

// Address is the account's in the latest token; "" for nobody, and for whom nobody may write to.
func (i *Issuer) Address(userID string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if a := i.accounts[userID]; !a.disabled {
		return a.email
	}
	return ""
}

// AccountAt is the account whose Address it is; "" for none.
func (i *Issuer) AccountAt(email string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	for id, a := range i.accounts {
		if !a.disabled && strings.EqualFold(a.email, email) {
			return id
		}
	}
	return ""
}

// CheckAccess implements authn.AccessChecker.
func (i *Issuer) CheckAccess(_ context.Context, p authn.Principal) (authn.Rights, error) {
	i.mu.Lock()
	a := i.accounts[p.UserID]
	i.mu.Unlock()
	var age time.Duration
	if !a.signedIn.IsZero() {
		age = i.clock.Now().Sub(a.signedIn)
	}
	return authn.Rights{
		SignedIn: !a.signedOut, Active: !a.disabled, Admin: a.admin, Moderator: a.moderator,
		StaffSession: !a.onMac && age <= authn.StaffFor, Fresh: age <= authn.FreshFor, SecondFactorMissing: a.lacksSecondFactor,
	}, nil
}

// JWKS implements authn.KeySource.
func (i *Issuer) JWKS(context.Context) ([]byte, error) {
	return json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: i.key.Public(), KeyID: i.kid, Algorithm: authn.Algorithm, Use: "sig"},
	}})
}

// Verifier returns a production verifier that trusts this issuer.
func (i *Issuer) Verifier() *authn.Verifier {
	return authn.NewVerifier(Origin, authn.NewKeys(i.JWKS, i.clock), i.clock)
}
