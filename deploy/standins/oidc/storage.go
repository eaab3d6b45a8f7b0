package oidc

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const (
	// flowLifetime is how long a page may stay open before the choice.
	flowLifetime  = 30 * time.Minute
	tokenLifetime = 5 * time.Minute
)

var errUnknownRequest = errors.New("this sign-in has expired or was already used")

// storage is an issuer's memory; it satisfies op.Storage.
type storage struct {
	unsupported
	client client
	key    signingKey

	mu       sync.Mutex
	requests map[string]*request // by request id
	codes    map[string]string   // authorization code → request id
	consents map[string]string   // email → refresh token, until it is revoked
}

func newStorage(c client) (*storage, error) {
	key, err := newSigningKey()
	if err != nil {
		return nil, err
	}
	return &storage{client: c, key: key, requests: map[string]*request{}, codes: map[string]string{}, consents: map[string]string{}}, nil
}

func (s *storage) Health(context.Context) error { return nil }

func (s *storage) CreateAuthRequest(_ context.Context, ask *oidc.AuthRequest, _ string) (op.AuthRequest, error) {
	if ask.CodeChallenge != "" && ask.CodeChallengeMethod != oidc.CodeChallengeMethodS256 {
		return nil, oidc.ErrInvalidRequest().WithDescription("code_challenge_method must be S256")
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.requests, func(_ string, r *request) bool { return now.Sub(r.created) > flowLifetime })
	maps.DeleteFunc(s.codes, func(_, id string) bool { return s.requests[id] == nil })
	r := &request{id: rand.Text(), created: now, ask: *ask}
	if s.client.kind.revokes { // op's condition for a refresh token
		r.ask.Scopes = append(slices.Clone(ask.Scopes), oidc.ScopeOfflineAccess)
	}
	s.requests[r.id] = r
	return r, nil
}

func (s *storage) AuthRequestByID(_ context.Context, id string) (op.AuthRequest, error) {
	return s.find(id)
}

func (s *storage) find(id string) (*request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.requests[id]; r != nil {
		return r, nil
	}
	return nil, errUnknownRequest
}

// pick records who signs in. A request can be completed once: going back in the
// browser and choosing again must not reopen it.
func (s *storage) pick(id string, c choice) (*request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests[id]
	if r == nil || r.picked != nil {
		return nil, errUnknownRequest
	}
	picked := *r
	picked.picked, picked.subject, picked.authAt = &c, s.client.kind.subject(cmp.Or(c.whose, c.email)), time.Now()
	s.requests[id] = &picked
	return &picked, nil
}

func (s *storage) SaveAuthCode(_ context.Context, id, code string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[code] = id
	return nil
}

// AuthRequestByCode returns the request and invalidates the code.
func (s *storage) AuthRequestByCode(_ context.Context, code string) (op.AuthRequest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests[s.codes[code]]
	delete(s.codes, code)
	if r == nil {
		return nil, errUnknownRequest
	}
	if r.picked.refused {
		return nil, oidc.ErrInvalidClient()
	}
	return r, nil
}

func (s *storage) DeleteAuthRequest(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.requests, id)
	return nil
}

func (s *storage) CreateAccessToken(context.Context, op.TokenRequest) (string, time.Time, error) {
	return rand.Text(), time.Now().Add(tokenLifetime), nil
}

func (s *storage) GetClientByClientID(_ context.Context, id string) (op.Client, error) {
	if id != s.client.GetID() {
		return nil, errors.New("unknown client")
	}
	return s.client, nil
}

func (s *storage) AuthorizeClientIDSecret(_ context.Context, id, secret string) error {
	if id != s.client.GetID() || !s.client.kind.takes(secret) {
		return oidc.ErrInvalidClient()
	}
	return nil
}

func (s *storage) SetUserinfoFromScopes(context.Context, *oidc.UserInfo, string, string, []string) error {
	return nil
}

// SetUserinfoFromRequest fills the ID token, the only place Kratos reads claims from.
func (s *storage) SetUserinfoFromRequest(_ context.Context, info *oidc.UserInfo, asked op.IDTokenRequest, _ []string) error {
	r, ok := asked.(*request)
	if !ok || r.picked == nil {
		return errUnknownRequest
	}
	info.Subject = r.subject
	for name, value := range s.client.kind.claims(*r.picked) {
		info.AppendClaims(name, value)
	}
	return nil
}

func (s *storage) SigningKey(context.Context) (op.SigningKey, error) { return s.key, nil }

func (s *storage) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{s.key.SignatureAlgorithm()}, nil
}

func (s *storage) KeySet(context.Context) ([]op.Key, error) { return []op.Key{publicKey{s.key}}, nil }
