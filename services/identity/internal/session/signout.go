package session

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/fault"
)

// SignOut ends the caller's family (the zero Caller: none known) and the
// cookie's session, each with the Kratos session behind it. Ours end first: when
// Kratos is out of reach the call fails as Unavailable, but the refresh token is
// dead already and the cookie opens no new family. Signing out of nothing
// succeeds.
func (s *Service) SignOut(ctx context.Context, c Caller, cookieHeader string) error {
	ended, err := s.endFamily(ctx, c.Family)
	if err != nil {
		return err
	}
	k, err := s.kratos.Session(ctx, cookieHeader)
	switch {
	case errors.Is(err, kratos.ErrNoSession):
		return nil
	case err != nil:
		return err
	case k.ID == ended:
		return nil
	}
	return s.endKratosSession(ctx, k.ID)
}

// SignOutEverywhere ends every family of the caller's account, or of the
// cookie's when there is no caller, and then every Kratos session of it. A
// cookie of somebody else is signed out beside that. Like SignOut it holds when
// Kratos is out of reach, also for Kratos sessions that never came here.
func (s *Service) SignOutEverywhere(ctx context.Context, c Caller, cookieHeader string) error {
	if c.User != uuid.Nil {
		if err := s.endAccount(ctx, c.User); err != nil {
			return err
		}
	}
	k, err := s.kratos.Session(ctx, cookieHeader)
	switch {
	case errors.Is(err, kratos.ErrNoSession):
		return nil
	case err != nil:
		return err
	case c.User == uuid.Nil:
		return s.endAccount(ctx, k.Identity)
	}
	return s.endKratosSession(ctx, k.ID)
}

// SignOutOthers ends every family of the caller's account but the caller's own, and then every
// Kratos session of it but the one behind that. Besides the faults of a dead caller it fails with
// ErrNoSession when a browser's cookie is not of the same session. Like SignOut it holds when Kratos
// is out of reach.
func (s *Service) SignOutOthers(ctx context.Context, c Caller, cookieHeader string) error {
	own, err := s.living(ctx, c)
	if err != nil {
		return err
	}
	if own.Kind() == Browser {
		k, err := s.kratos.Session(ctx, cookieHeader)
		switch {
		case errors.Is(err, kratos.ErrNoSession), err == nil && k.ID != own.KratosSession:
			return ErrNoSession
		case err != nil && !errors.Is(err, fault.Unavailable):
			return err
		}
	}
	n, err := s.store.CloseAccount(ctx, c.User, c.Family, s.clock.Now())
	if err != nil {
		return err
	}
	s.metrics.Ended(SignedOut, n)
	s.log.InfoContext(ctx, "signed out everywhere else", "user", c.User, "families", n)
	return s.endAllAtKratos(ctx, c.User)
}

// SignOutReplaced ends the session of a cookie that another one has taken the place of in the browser, unless both are of one
// session: Kratos also renews the cookie when a provider is linked.
func (s *Service) SignOutReplaced(ctx context.Context, cookieHeader, by string) error {
	before, err := s.kratos.Session(ctx, cookieHeader)
	if errors.Is(err, kratos.ErrNoSession) {
		return nil
	}
	if err != nil {
		return err
	}
	after, err := s.kratos.Session(ctx, by)
	switch {
	case errors.Is(err, kratos.ErrNoSession), err == nil && after.ID == before.ID:
		return nil
	case err != nil:
		return err
	}
	return s.endKratosSession(ctx, before.ID)
}

func (s *Service) endAccount(ctx context.Context, user uuid.UUID) error {
	n, err := s.store.CloseAccount(ctx, user, uuid.Nil, s.clock.Now())
	if err != nil {
		return err
	}
	s.metrics.Ended(SignedOut, n)
	s.log.InfoContext(ctx, "signed out everywhere", "user", user, "families", n)
	return s.endAllAtKratos(ctx, user)
}

// endAllAtKratos has Kratos follow the last sign-out of an account, also later: sessions of families that live
// were spared by it, or are newer.
func (s *Service) endAllAtKratos(ctx context.Context, user uuid.UUID) error {
	return s.store.EndAtKratos(ctx, user, func(ctx context.Context) error {
		families, err := s.store.Families(ctx, user, s.clock.Now(), 2*MaxPerKind)
		if err != nil {
			return err
		}
		var kept []uuid.UUID
		for _, f := range families {
			if f.Kind() == Browser {
				kept = append(kept, f.KratosSession)
			}
		}
		return s.kratos.EndSessionsBesides(ctx, user, kept)
	})
}

// ClockSkew is how far Kratos' clock and the database's may be apart.
const ClockSkew = 2 * time.Minute

// isLate reports that Kratos has not followed a sign-out, and that there is hardly a newer session that has
// no family yet, so that it can.
func (s *Service) isLate(last account.SignOut) bool {
	return !last.At.IsZero() && !last.AtKratos && s.clock.Now().Sub(last.At) <= 2*ClockSkew
}

// outlives judges a session that Kratos has honoured by an account that was read later: whether the person
// signed in after its last sign-out everywhere. Where the clocks do not tell, Kratos does, once it has ended all
// sessions of the sign-out: what it honours then is newer. If it has not, it does so now, and the session does
// not count: who signed in within ClockSkew of such a sign-out signs in again.
func (s *Service) outlives(ctx context.Context, k kratos.Session, last account.SignOut) (bool, error) {
	switch after := k.AuthenticatedAt.Sub(last.At); {
	case last.At.IsZero(), after > ClockSkew:
		return true, nil
	case after < -ClockSkew, !last.AtKratos && !s.isLate(last):
		return false, nil
	case !last.AtKratos:
		return false, s.endAllAtKratos(ctx, k.Identity)
	}
	active, err := s.kratos.SessionActive(ctx, k.ID)
	if errors.Is(err, kratos.ErrGone) {
		return false, nil
	}
	return active, err
}

// endFamily returns the Kratos session that ended with the family, if any.
func (s *Service) endFamily(ctx context.Context, family uuid.UUID) (kratosSession uuid.UUID, err error) {
	if family == uuid.Nil {
		return uuid.Nil, nil
	}
	now, alive := s.clock.Now(), false
	_, err = s.store.Change(ctx, family, now, func(f *Family) error {
		alive = f.Alive(now)
		kratosSession, f.Revoked = f.KratosSession, SignedOut
		return nil
	})
	if err != nil {
		return uuid.Nil, err
	}
	if alive {
		s.metrics.Ended(SignedOut, 1)
	}
	if kratosSession == uuid.Nil {
		return uuid.Nil, nil
	}
	return kratosSession, s.endKratosSession(ctx, kratosSession)
}

func (s *Service) endKratosSession(ctx context.Context, id uuid.UUID) error {
	n, err := s.store.CloseKratosSession(ctx, id, s.clock.Now())
	if err != nil {
		return err
	}
	s.metrics.Ended(SignedOut, n)
	return s.kratos.EndSession(ctx, id)
}
