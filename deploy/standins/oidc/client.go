package oidc

import (
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// client is the one relying party of an issuer: the local Kratos.
type client struct {
	kind *kind
	// pages is the base of what browsers open.
	pages    string
	redirect string
}

func (c client) GetID() string                       { return c.kind.clientID }
func (c client) RedirectURIs() []string              { return []string{c.redirect} }
func (c client) PostLogoutRedirectURIs() []string    { return nil }
func (c client) ApplicationType() op.ApplicationType { return op.ApplicationTypeWeb }
func (c client) AuthMethod() oidc.AuthMethod         { return oidc.AuthMethodBasic }
func (c client) ResponseTypes() []oidc.ResponseType {
	return []oidc.ResponseType{oidc.ResponseTypeCode}
}
func (c client) GrantTypes() []oidc.GrantType {
	if c.kind.revokes {
		return []oidc.GrantType{oidc.GrantTypeCode, oidc.GrantTypeRefreshToken}
	}
	return []oidc.GrantType{oidc.GrantTypeCode}
}
func (c client) LoginURL(request string) string {
	return c.pages + accountsPath + "?request=" + request
}
func (c client) AccessTokenType() op.AccessTokenType  { return op.AccessTokenTypeBearer }
func (c client) IDTokenLifetime() time.Duration       { return tokenLifetime }
func (c client) IsScopeAllowed(string) bool           { return false }
func (c client) IDTokenUserinfoClaimsAssertion() bool { return true }
func (c client) ClockSkew() time.Duration             { return 0 }
func (c client) RestrictAdditionalIdTokenScopes() func([]string) []string {
	return sameScopes
}

func (c client) RestrictAdditionalAccessTokenScopes() func([]string) []string {
	return sameScopes
}

// DevMode lets the callback be plain http, which it is on localhost.
func (c client) DevMode() bool { return true }

func sameScopes(scopes []string) []string { return scopes }
