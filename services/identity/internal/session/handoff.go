package session

import (
	"context"
	"strings"
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/handoff"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/secrettoken"
)

const (
	// maxCodes is how many codes of a browser may be good at the same time: one
	// for each click, and no more than a person clicks in a minute.
	maxCodes    = 20
	maxCallback = 256
	// maxCode is longer than any code.
	maxCode = 256
	// maxOpened is how many families of an account may have been opened in the
	// minute before it opens one more without a code.
	maxOpened = 20
)

// CreateCode mints a code for an app that waits at callback and holds the
// verifier of challenge, and returns how long it is good for. Besides the faults
// of a dead caller it fails with authn.ErrForbidden for a Mac, and ErrTooManyCodes.
func (s *Service) CreateCode(ctx context.Context, c Caller, callback, challenge string) (code string, life time.Duration, err error) {
	if callback == "" || len(callback) > maxCallback || strings.ContainsRune(callback, 0) {
		return "", 0, fault.InvalidField("callback", "The value of callback must be an address of the app.")
	}
	sum, err := handoff.ParseChallenge(challenge)
	if err != nil {
		return "", 0, fault.InvalidField("code_challenge", "The value of code_challenge must be a SHA-256 in base64url.").Wrap(err)
	}
	family, err := s.living(ctx, c)
	if err != nil {
		return "", 0, err
	}
	now := s.clock.Now()
	if err := family.checkHandOff(now); err != nil {
		return "", 0, err
	}
	code, hash := secrettoken.New()
	expires := earlier(now.Add(handoff.Lifetime), family.ExpiresAt)
	ok, err := s.store.AddCode(ctx, handoff.Code{
		Hash: hash, Family: family.ID, Callback: callback, Challenge: sum, CreatedAt: now, ExpiresAt: expires,
	}, maxCodes)
	if err == nil && !ok {
		err = ErrTooManyCodes
	}
	if err != nil {
		return "", 0, err
	}
	s.metrics.codes.Inc()
	return code, expires.Sub(now), nil
}

// Grant is what an app presents for a session.
type Grant struct {
	Code, Verifier, Callback string
}

// check refuses what no app sends, before it is compared with what was minted.
func (g Grant) check() error {
	switch {
	case g.Code == "" || len(g.Code) > maxCode:
		return fault.InvalidField("code", "The value of code must be a code.")
	case !handoff.IsVerifier(g.Verifier):
		return fault.InvalidField("code_verifier", "The value of code_verifier must be 43 to 128 unreserved characters.")
	case g.Callback == "" || len(g.Callback) > maxCallback:
		return fault.InvalidField("callback", "The value of callback must be an address of the app.")
	}
	return nil
}

// The refusals that lie with the browser that minted the code.
const (
	sessionEnded    handoff.Refusal = "session_ended"
	accountDisabled handoff.Refusal = "account_disabled"
)

func (g Grant) verify(c handoff.Code, by Family, now time.Time) handoff.Refusal {
	verdict := c.Verify(g.Verifier, g.Callback, now)
	switch {
	case verdict != handoff.Accepted:
		return verdict
	case by.User.Disabled:
		return accountDisabled
	case !by.Alive(now):
		return sessionEnded
	}
	return handoff.Accepted
}

// ExchangeCode trades a code for a session of the app's own. It fails with Invalid for what has not
// the form of a grant, and everything that does not fit is ErrGrant; the second use of a code by a holder of its verifier
// also ends the session that the first one opened.
func (s *Service) ExchangeCode(ctx context.Context, g Grant, d Device) (Session, error) {
	if err := g.check(); err != nil {
		return Session{}, err
	}
	hash, ok := secrettoken.Hash(g.Code)
	if !ok {
		s.metrics.exchanged(handoff.Unknown, 0)
		return Session{}, ErrGrant
	}
	now, device, used, owner := s.clock.Now(), Family{}, handoff.Code{}, account.User{}
	verdict, ended, err := s.store.UseCode(ctx, hash, now, func(c handoff.Code, by Family) (Family, handoff.Refusal) {
		verdict := g.verify(c, by, now)
		if used, owner = c, by.User; verdict == handoff.Accepted {
			device = s.newFamily(by.User, d, now)
			device.AuthenticatedAt = by.AuthenticatedAt
		}
		return device, verdict
	})
	if err != nil {
		return Session{}, err
	}
	s.metrics.exchanged(verdict, ended)
	if verdict == handoff.Reused && ended > 0 {
		s.log.WarnContext(ctx, "used hand-off code presented, its device revoked", "device", used.Device, "user", owner.ID)
	}
	if verdict != handoff.Accepted {
		return Session{}, ErrGrant
	}
	s.metrics.opens(Mac, ended)
	return s.mint(device, now, "code")
}

// CreateDevice opens a session for an app that sent no challenge. Besides the
// faults of a dead caller it fails with ErrTokensForbidden where the operator
// wants codes alone, authn.ErrForbidden for a Mac, and ErrTooManyCodes.
func (s *Service) CreateDevice(ctx context.Context, c Caller, d Device) (Session, error) {
	if !s.settings.HandOffTokens {
		return Session{}, ErrTokensForbidden
	}
	now, device := s.clock.Now(), Family{}
	ok, displaced, err := s.store.OpenMac(ctx, c, now.Add(-time.Minute), func(by Family, opened int) (Family, error) {
		if by.User.ID != c.User {
			return Family{}, authn.ErrBadToken
		}
		if err := by.checkHandOff(now); err != nil {
			return Family{}, err
		}
		if opened >= maxOpened {
			return Family{}, ErrTooManyCodes
		}
		device = s.newFamily(by.User, d, now)
		device.AuthenticatedAt = by.AuthenticatedAt
		return device, nil
	})
	if err == nil && !ok {
		err = authn.ErrBadToken
	}
	if err != nil {
		return Session{}, err
	}
	s.metrics.opens(Mac, displaced)
	return s.mint(device, now, "device")
}
