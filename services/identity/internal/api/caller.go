package api

import (
	"context"

	"github.com/google/uuid"

	"fledge.dev/services/platform/authn"
)

func caller(ctx context.Context) (uuid.UUID, error) {
	p, ok := authn.FromContext(ctx)
	if !ok {
		return uuid.Nil, authn.ErrNoToken
	}
	id, err := uuid.Parse(p.UserID)
	if err != nil {
		return uuid.Nil, authn.ErrBadToken
	}
	return id, nil
}

func callersFamily(ctx context.Context) (uuid.UUID, error) {
	p, ok := authn.FromContext(ctx)
	if !ok {
		return uuid.Nil, authn.ErrNoToken
	}
	family, err := uuid.Parse(p.SessionID)
	if err != nil {
		return uuid.Nil, authn.ErrBadToken
	}
	return family, nil
}
