package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

// ErrUnknownProvider refuses to remove what is not linked.
var ErrUnknownProvider = fault.New(fault.NotFound, "unknown_provider", "This sign-in method is not part of your account.")

const (
	appleProvider = "apple"
	// endWithin is how long the caller waits for Apple.
	endWithin = 2 * time.Second
)

// Unlink removes a provider from the caller's account. Apple is then asked, once, to end the consent. Besides the
// faults of a dead caller it fails with authn.ErrNotFresh, ErrUnknownProvider, ErrLastProvider, or Unavailable while Kratos
// cannot be asked. Asking again after that completes it.
func (s *Service) Unlink(ctx context.Context, c Caller, provider string) (account.User, error) {
	family, err := s.living(ctx, c)
	if err != nil {
		return account.User{}, err
	}
	if !family.Fresh(s.clock.Now()) {
		return account.User{}, authn.ErrNotFresh
	}
	if !slices.Contains(family.User.Identities, provider) {
		return account.User{}, ErrUnknownProvider
	}
	end := func(context.Context) {}
	if provider == appleProvider {
		if end, err = s.apple.Consent(ctx, c.User); err != nil {
			return account.User{}, err
		}
	}
	user, err := s.store.ChangeProviders(ctx, c.User, s.clock.Now(), func(ctx context.Context) ([]string, error) {
		return s.kratos.Unlink(ctx, c.User, provider)
	})
	if errors.Is(err, kratos.ErrLastProvider) {
		err = ErrLastProvider
	}
	if err == nil {
		// It is done: an Apple that is slow must not make a failure of it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
		defer cancel()
		end(ctx)
		s.log.InfoContext(ctx, "a provider was removed from an account", "user", c.User, "provider", provider)
	}
	return user, err
}
