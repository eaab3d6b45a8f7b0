package session

import (
	"context"

	"github.com/google/uuid"
)

// Devices returns the families that the caller's account is signed in with, the
// latest used first.
func (s *Service) Devices(ctx context.Context, c Caller) ([]Family, error) {
	if _, err := s.living(ctx, c); err != nil {
		return nil, err
	}
	return s.store.Families(ctx, c.User, s.clock.Now(), 2*MaxPerKind)
}

// RevokeDevice ends a family of the caller's account like SignOut, with the
// Kratos session of a browser. Ending one that has ended succeeds, so that a
// caller may ask again after Kratos was out of reach; what never was a device of
// the account's is ErrUnknownDevice.
func (s *Service) RevokeDevice(ctx context.Context, c Caller, device uuid.UUID) error {
	if _, err := s.living(ctx, c); err != nil {
		return err
	}
	f, ok, err := s.store.Family(ctx, device)
	if err != nil {
		return err
	}
	if !ok || f.User.ID != c.User {
		return ErrUnknownDevice
	}
	_, err = s.endFamily(ctx, device)
	return err
}
