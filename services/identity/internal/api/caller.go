package api

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/authn"
)

// caller is whom the call's token speaks for.
func caller(ctx context.Context) (session.Caller, error) {
	p, ok := authn.FromContext(ctx)
	if !ok {
		return session.Caller{}, authn.ErrNoToken
	}
	user, userErr := uuid.Parse(p.UserID)
	family, familyErr := uuid.Parse(p.SessionID)
	if errors.Join(userErr, familyErr) != nil {
		return session.Caller{}, authn.ErrBadToken
	}
	return session.Caller{User: user, Family: family}, nil
}
