package oidc

import (
	"context"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// unsupported answers the parts of op.Storage that neither Google nor Apple is
// asked for here: use of refresh tokens, userinfo, introspection, revocation as
// RFC 7009 has it, service accounts and provider-side sign-out.
type unsupported struct{}

func (unsupported) TokenRequestByRefreshToken(context.Context, string) (op.RefreshTokenRequest, error) {
	return nil, op.ErrInvalidRefreshToken
}

func (unsupported) TerminateSession(context.Context, string, string) error {
	return oidc.ErrRequestNotSupported()
}

func (unsupported) RevokeToken(context.Context, string, string, string) *oidc.Error {
	return oidc.ErrRequestNotSupported()
}

func (unsupported) GetRefreshTokenInfo(context.Context, string, string) (string, string, error) {
	return "", "", op.ErrInvalidRefreshToken
}

func (unsupported) SetUserinfoFromToken(context.Context, *oidc.UserInfo, string, string, string) error {
	return oidc.ErrRequestNotSupported()
}

func (unsupported) SetIntrospectionFromToken(context.Context, *oidc.IntrospectionResponse, string, string, string) error {
	return oidc.ErrRequestNotSupported()
}

func (unsupported) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return nil, nil
}

func (unsupported) GetKeyByIDAndClientID(context.Context, string, string) (*jose.JSONWebKey, error) {
	return nil, oidc.ErrRequestNotSupported()
}

func (unsupported) ValidateJWTProfileScopes(context.Context, string, []string) ([]string, error) {
	return nil, oidc.ErrUnsupportedGrantType()
}
