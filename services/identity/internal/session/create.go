package session

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/secrettoken"
)

// Create trades a live Kratos session for ours. Calls with the same cookie get
// the same family and its current refresh token, so tabs need not agree first.
// It fails with ErrNoSession, ErrUnverified, authn.ErrDisabled, or Unavailable
// while Kratos or the database cannot be asked.
func (s *Service) Create(ctx context.Context, cookieHeader string, d Device) (Session, error) {
	k, err := s.kratos.Session(ctx, cookieHeader)
	if errors.Is(err, kratos.ErrNoSession) {
		return Session{}, ErrNoSession
	}
	if err != nil {
		return Session{}, err
	}
	if k.Email == "" {
		return Session{}, ErrUnverified
	}
	now := s.clock.Now()
	family, takenBack, err := s.familyFor(ctx, k, d, now)
	if err != nil {
		return Session{}, err
	}
	switch {
	case family.User.Disabled:
		return Session{}, authn.ErrDisabled
	case !family.Alive(now) && s.isLate(family.User.SignedOut):
		s.tellLate(ctx, k.Identity)
		return Session{}, ErrNoSession
	case !family.Alive(now):
		return Session{}, s.noSession(ctx, k.ID)
	}
	if family.usedBy(d, now) {
		if err := s.store.Touch(ctx, family.ID, family.LastActiveAt, family.Device); err != nil {
			return Session{}, err
		}
	}
	// The same Kratos session rises when its browser verifies a second factor.
	if levelOf(k) > family.AAL {
		if err := s.store.Raise(ctx, family.ID, levelOf(k)); err != nil {
			return Session{}, err
		}
	}
	if family, err = s.renewLost(ctx, family, now); err != nil {
		return Session{}, err
	}
	session, err := s.mint(family, now, "cookie")
	session.DeletionTakenBack = takenBack
	return session, err
}

// renewLost gives the family a new leaf if the old one was made under a secret
// that was dropped because it leaked: the cookie is still good.
func (s *Service) renewLost(ctx context.Context, f Family, now time.Time) (Family, error) {
	secrets := s.keys.RefreshSecrets()
	if _, ok := secrets.Again(f.Leaf(), f.LeafHash); ok {
		return f, nil
	}
	_, err := s.store.Change(ctx, f.ID, now, func(locked *Family) error {
		// Another tab may have been first.
		if _, ok := secrets.Again(locked.Leaf(), locked.LeafHash); !ok {
			locked.Generation++
			locked.LeafHash, locked.RotatedAt = secrettoken.Sum(secrets.New(locked.Leaf())), now
		}
		f = *locked
		return nil
	})
	return f, err
}

// familyFor returns the family that the Kratos session has or may have, and whether opening it
// took back the account's deletion.
func (s *Service) familyFor(ctx context.Context, k kratos.Session, d Device, now time.Time) (family Family, takenBack bool, err error) {
	family, ok, err := s.store.FamilyOf(ctx, k.ID)
	if err != nil || ok && family.Revoked != Reused {
		return family, false, err
	}
	// Kratos may be set up to honour a sign-in for longer than we do.
	if now.Sub(k.AuthenticatedAt) >= Lifetime {
		return Family{}, false, s.noSession(ctx, k.ID)
	}
	if takenBack, err = s.openBrowser(ctx, k, d, now); err != nil {
		return Family{}, false, err
	}
	// Read back: another tab may have been first, or a sign-out.
	family, ok, err = s.store.FamilyOf(ctx, k.ID)
	if err == nil && !ok {
		err = s.noSession(ctx, k.ID)
	}
	return family, takenBack, err
}

// openBrowser starts a family, which is also the moment to repair what lost hooks left out of
// the person's record, and to take back the deletion of the account.
func (s *Service) openBrowser(ctx context.Context, k kratos.Session, d Device, now time.Time) (takenBack bool, err error) {
	providers, err := s.kratos.Providers(ctx, k.Identity)
	if err != nil {
		s.log.WarnContext(ctx, "Kratos did not list the linked providers of a sign-in, those on record stay", "error", err)
	}
	user, err := s.store.RecordSignIn(ctx, account.SignIn{
		UserID: k.Identity, Email: k.Email, Provider: k.Provider, Identities: providers,
		ConfirmedAt: k.EmailVerifiedAt, At: k.AuthenticatedAt,
	}, now)
	if err != nil {
		return false, err
	}
	if outlives, err := s.outlives(ctx, k, user.SignedOut); err != nil || !outlives {
		return false, err
	}
	if user.Deleting() {
		if user, takenBack, err = s.takeBackDeletion(ctx, user, now); err != nil {
			return false, err
		}
	}
	if user.Disabled {
		return false, authn.ErrDisabled
	}
	family := s.newFamily(user, d, now)
	family.KratosSession, family.AAL = k.ID, levelOf(k)
	family.AuthenticatedAt = s.notAhead(ctx, k.AuthenticatedAt, now)
	family.ExpiresAt = earlier(k.AuthenticatedAt.Add(Lifetime), k.ExpiresAt)
	ok, displaced, err := s.store.OpenBrowser(ctx, family)
	if err != nil || !ok {
		return takenBack, err
	}
	s.metrics.signIns.WithLabelValues(k.Provider).Inc()
	s.metrics.opens(Browser, len(displaced))
	for _, kratosSession := range displaced {
		s.endAtKratos(ctx, kratosSession)
	}
	return takenBack, nil
}

// newFamily starts a family with its first leaf.
func (s *Service) newFamily(user account.User, d Device, now time.Time) Family {
	f := newFamily(user, d, now)
	f.LeafHash = secrettoken.Sum(s.keys.RefreshSecrets().New(f.Leaf()))
	return f
}

// noSession is ErrNoSession for a Kratos session that is over here. Kratos is told
// so: while it takes the browser for signed in, nobody can sign in again there.
func (s *Service) noSession(ctx context.Context, kratosSession uuid.UUID) error {
	s.endAtKratos(ctx, kratosSession)
	return ErrNoSession
}

// tellLate has Kratos follow a sign-out everywhere before the person signs in again. It need not succeed.
func (s *Service) tellLate(ctx context.Context, user uuid.UUID) {
	if err := s.endAllAtKratos(ctx, user); err != nil {
		s.log.WarnContext(ctx, "the sessions of a sign-out everywhere were not ended in Kratos", "user", user, "error", err)
	}
}

// endAtKratos need not succeed: the session opens nothing here in either case.
func (s *Service) endAtKratos(ctx context.Context, kratosSession uuid.UUID) {
	if err := s.kratos.EndSession(ctx, kratosSession); err != nil {
		s.log.WarnContext(ctx, "a session that is over here was not ended in Kratos", "error", err)
	}
}

func levelOf(k kratos.Session) AAL {
	if k.SecondFactor {
		return AAL2
	}
	return AAL1
}

// notAhead is the time of a sign-in by Kratos' clock, but never after now: one that is ahead would count as fresh
// for too long.
func (s *Service) notAhead(ctx context.Context, at, now time.Time) time.Time {
	if ahead := at.Sub(now); ahead > ClockSkew {
		s.log.WarnContext(ctx, "Kratos' clock is ahead of the database's", "by", ahead.String())
	}
	return earlier(at, now.Truncate(time.Microsecond))
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
