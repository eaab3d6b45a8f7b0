package oidc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/zitadel/oidc/v3/pkg/op"
)

const (
	revocationPath = "/auth/revoke"
	// consentsPath lists whose tokens are not revoked, as the settings of an Apple Account do
	// for their owner: one email address a line.
	consentsPath = "/consents"
)

// CreateAccessAndRefreshTokens gives a person one refresh token until it is revoked.
func (s *storage) CreateAccessAndRefreshTokens(ctx context.Context, asked op.TokenRequest, _ string) (access, refresh string, expires time.Time, err error) {
	r, ok := asked.(*request)
	if !ok || r.picked == nil {
		return "", "", time.Time{}, errUnknownRequest
	}
	s.mu.Lock()
	if s.consents[r.picked.email] == "" {
		s.consents[r.picked.email] = rand.Text()
	}
	refresh = s.consents[r.picked.email]
	s.mu.Unlock()
	access, expires, err = s.CreateAccessToken(ctx, asked)
	return access, refresh, expires, err
}

// revoke ends a consent ("Revoke tokens" of Apple's documentation): 200 without a body, also for
// a token that is not valid any more; 400 with Apple's code for what is wrong with the request.
func (s *storage) revoke(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	kind := s.client.kind
	hint := r.PostFormValue("token_type_hint")
	switch {
	case r.PostFormValue("client_id") != kind.clientID || !kind.takes(r.PostFormValue("client_secret")):
		refuseRevocation(w, "invalid_client")
	case r.PostFormValue("token") == "" || hint != "" && hint != "refresh_token" && hint != "access_token":
		refuseRevocation(w, "invalid_request")
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		maps.DeleteFunc(s.consents, func(_, token string) bool { return token == r.PostFormValue("token") })
	}
}

func refuseRevocation(w http.ResponseWriter, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code}) // whoever asked went away
}

func (s *storage) listConsents(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, email := range slices.Sorted(maps.Keys(s.consents)) {
		_, _ = fmt.Fprintln(w, email) // as above
	}
}
