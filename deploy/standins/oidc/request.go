package oidc

import (
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// request is one sign-in under way; it satisfies op.AuthRequest.
type request struct {
	id      string
	created time.Time
	ask     oidc.AuthRequest
	// picked is set once somebody chose an account.
	picked  *choice
	subject string
	authAt  time.Time
}

func (r *request) GetID() string                      { return r.id }
func (r *request) GetACR() string                     { return "" }
func (r *request) GetAMR() []string                   { return nil }
func (r *request) GetAudience() []string              { return []string{r.ask.ClientID} }
func (r *request) GetAuthTime() time.Time             { return r.authAt }
func (r *request) GetClientID() string                { return r.ask.ClientID }
func (r *request) GetNonce() string                   { return r.ask.Nonce }
func (r *request) GetRedirectURI() string             { return r.ask.RedirectURI }
func (r *request) GetResponseType() oidc.ResponseType { return r.ask.ResponseType }
func (r *request) GetResponseMode() oidc.ResponseMode { return r.ask.ResponseMode }
func (r *request) GetScopes() []string                { return r.ask.Scopes }
func (r *request) GetState() string                   { return r.ask.State }
func (r *request) GetSubject() string                 { return r.subject }
func (r *request) Done() bool                         { return r.picked != nil }

func (r *request) GetCodeChallenge() *oidc.CodeChallenge {
	if r.ask.CodeChallenge == "" {
		return nil
	}
	return &oidc.CodeChallenge{Challenge: r.ask.CodeChallenge, Method: r.ask.CodeChallengeMethod}
}
