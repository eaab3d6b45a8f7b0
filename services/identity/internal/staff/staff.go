// Package staff is what members of staff do with an account: they disable it or put it back
// into use, end its sessions, and begin its deletion. A change is one transaction with its audit
// record and takes effect at once; Kratos is told after it, again and again until it has heard.
package staff

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

// ErrYourself refuses to members of staff what would lock themselves out.
var ErrYourself = fault.New(fault.Conflict, "yourself", "You cannot do this to your own account.")

// ErrNoSecondFactor refuses to remove what is not there.
var ErrNoSecondFactor = fault.New(fault.Conflict, "no_second_factor", "This person has no second factor.")

const (
	maxSignIns = 20
	// signInsWithin is how long ended families are kept.
	signInsWithin = 30 * 24 * time.Hour
)

// Change is what became of an account.
type Change struct {
	// Changed is false when it was so before.
	Changed bool
	// Ended is how many families ended.
	Ended int
}

// SignIn is a family, living or ended.
type SignIn struct {
	session.Family
	// EndedAt is zero unless the family was ended early.
	EndedAt time.Time
}

// Store keeps accounts. Each change is one transaction with its audit record, whose actor is
// the context's principal, and fails with store.ErrUnknownUser for an unknown account.
type Store interface {
	// SetState disables an account and ends its families, or puts it back into use, which also
	// takes back its deletion. What is so already is not changed. It fails with
	// store.ErrLastAdmin, store.ErrDeleting for an account that is to be deleted and should be
	// disabled, and store.ErrGone.
	SetState(ctx context.Context, user uuid.UUID, to account.State, reason string, now time.Time) (Change, error)
	// SignOut ends all families of an account as session.Store.CloseAccount does.
	SignOut(ctx context.Context, user uuid.UUID, reason string, now time.Time) (ended int, err error)
	// EndDevice ends one family of an account. alive is false if it had ended before. It fails
	// with session.ErrUnknownDevice.
	EndDevice(ctx context.Context, user, device uuid.UUID, reason string, now time.Time) (f session.Family, alive bool, err error)
	// DeleteByStaff begins the deletion of an account as session.Store.BeginDeletion does, also of
	// a disabled one, whose owner cannot take it back. It fails with store.ErrLastAdmin,
	// store.ErrDeleting and store.ErrGone.
	DeleteByStaff(ctx context.Context, user uuid.UUID, reason string, now, eraseAt time.Time) (Change, error)
	// ResetSecondFactor ends all families of an account as SignOut does, tells the owner by email, and then takes
	// away the second factor. Where that last step fails, the account is signed out, and a repeat goes on. It fails
	// with kratos.ErrNoSecondFactor.
	ResetSecondFactor(ctx context.Context, user uuid.UUID, reason string, now time.Time, at SecondFactors) (ended int, err error)
	// EndAtKratos is session.Store's.
	EndAtKratos(ctx context.Context, user uuid.UUID, end func(context.Context) error) error
	// Person returns an account by its id or address.
	Person(ctx context.Context, idOrEmail string) (account.Listed, error)
	// Families returns an account's living families, the latest used first.
	Families(ctx context.Context, user uuid.UUID, now time.Time, limit int) ([]session.Family, error)
	// SignIns returns an account's families since a moment, the newest first.
	SignIns(ctx context.Context, user uuid.UUID, since time.Time, limit int) ([]SignIn, error)

	// UntoldStates lists accounts whose state Kratos is still to be told, after an id.
	UntoldStates(ctx context.Context, after uuid.UUID, limit int) ([]uuid.UUID, error)
	// TellState hands the state that Kratos is still to be told of to tell, one at a time for an
	// account, and notes that it was told unless tell fails. It does nothing when there is none.
	TellState(ctx context.Context, user uuid.UUID, tell func(ctx context.Context, active bool) error) error
}

// Kratos holds the person's sign-ins.
type Kratos interface {
	// SetActive succeeds for an identity that is gone.
	SetActive(ctx context.Context, identity uuid.UUID, active bool) error
	EndSession(ctx context.Context, session uuid.UUID) error
	EndSessions(ctx context.Context, identity uuid.UUID) error
	SecondFactors
}

// SecondFactors is where people's second factors are.
type SecondFactors interface {
	// SecondFactor fails with kratos.ErrGone.
	SecondFactor(ctx context.Context, identity uuid.UUID) (app, codes bool, err error)
	// RemoveSecondFactor fails with kratos.ErrNoSecondFactor.
	RemoveSecondFactor(ctx context.Context, identity uuid.UUID) error
}

// Service is safe for concurrent use, by any number of replicas.
type Service struct {
	store         Store
	kratos        Kratos
	deletionGrace time.Duration
	clock         clock.Clock
	log           *slog.Logger
	metrics       *session.Metrics
}

// New returns a service.
func New(store Store, k Kratos, deletionGrace time.Duration, clk clock.Clock, log *slog.Logger, m *session.Metrics) *Service {
	return &Service{store: store, kratos: k, deletionGrace: deletionGrace, clock: clk, log: log, metrics: m}
}

// Person returns an account by its id or address.
func (s *Service) Person(ctx context.Context, idOrEmail string) (account.Listed, error) {
	return s.store.Person(ctx, idOrEmail)
}

// Devices returns the families that an account is signed in with, the latest used first, and its
// latest sign-ins.
func (s *Service) Devices(ctx context.Context, user uuid.UUID) (devices []session.Family, signIns []SignIn, err error) {
	now := s.clock.Now()
	if devices, err = s.store.Families(ctx, user, now, 2*session.MaxPerKind); err != nil {
		return nil, nil, err
	}
	signIns, err = s.store.SignIns(ctx, user, now.Add(-signInsWithin), maxSignIns)
	return devices, signIns, err
}

// SetState disables an account or puts it back into use, see Store.
func (s *Service) SetState(ctx context.Context, by, user uuid.UUID, to account.State, reason string) (account.Listed, error) {
	if to == account.StateDisabled && by == user {
		return account.Listed{}, ErrYourself
	}
	change, err := s.store.SetState(ctx, user, to, reason, s.clock.Now())
	if err != nil {
		return account.Listed{}, err
	}
	if change.Changed {
		s.metrics.Ended(session.Disabled, change.Ended)
		s.log.InfoContext(ctx, "an account's state was set by staff", "user", user, "by", by, "state", to, "families", change.Ended)
	}
	s.try(ctx, user, s.tell(ctx, user))
	return s.store.Person(ctx, user.String())
}

// SignOut ends all sessions of an account, here and in Kratos.
func (s *Service) SignOut(ctx context.Context, by, user uuid.UUID, reason string) (ended int, err error) {
	ended, err = s.store.SignOut(ctx, user, reason, s.clock.Now())
	if err != nil {
		return 0, err
	}
	s.metrics.Ended(session.SignedOut, ended)
	s.log.InfoContext(ctx, "signed out everywhere by staff", "user", user, "by", by, "families", ended)
	s.try(ctx, user, s.endAtKratos(ctx, user))
	return ended, nil
}

// EndDevice ends one session of an account. One that has ended already is no error.
func (s *Service) EndDevice(ctx context.Context, by, user, device uuid.UUID, reason string) error {
	f, alive, err := s.store.EndDevice(ctx, user, device, reason, s.clock.Now())
	if err != nil {
		return err
	}
	if alive {
		s.metrics.Ended(session.SignedOut, 1)
		s.log.InfoContext(ctx, "a device was signed out by staff", "user", user, "by", by, "family", device)
	}
	if f.Kind() == session.Browser {
		s.try(ctx, user, s.kratos.EndSession(ctx, f.KratosSession))
	}
	return nil
}

// Delete begins the deletion of an account, see Store.
func (s *Service) Delete(ctx context.Context, by, user uuid.UUID, reason string) (account.Listed, error) {
	if by == user {
		return account.Listed{}, ErrYourself
	}
	now := s.clock.Now()
	change, err := s.store.DeleteByStaff(ctx, user, reason, now, now.Add(s.deletionGrace))
	if err != nil {
		return account.Listed{}, err
	}
	s.metrics.Ended(session.SignedOut, change.Ended)
	s.metrics.DeletionBegun()
	s.log.InfoContext(ctx, "an account is to be deleted", "user", user, "by", by, "families", change.Ended)
	s.try(ctx, user, s.endAtKratos(ctx, user))
	return s.store.Person(ctx, user.String())
}

// ResetSecondFactor removes an account's second factor, for somebody who lost it, and ends all
// sessions of the account: whoever has the lost device may be signed in there. It fails with
// ErrYourself, ErrNoSecondFactor, or Unavailable while Kratos cannot be asked.
func (s *Service) ResetSecondFactor(ctx context.Context, by, user uuid.UUID, reason string) error {
	if by == user {
		return ErrYourself
	}
	ended, err := s.store.ResetSecondFactor(ctx, user, reason, s.clock.Now(), s.kratos)
	s.metrics.Ended(session.SignedOut, ended)
	if errors.Is(err, kratos.ErrNoSecondFactor) {
		return ErrNoSecondFactor
	}
	if err != nil {
		return err
	}
	s.log.InfoContext(ctx, "a second factor was reset by staff", "user", user, "by", by, "families", ended)
	s.try(ctx, user, s.endAtKratos(ctx, user))
	return nil
}

func (s *Service) endAtKratos(ctx context.Context, user uuid.UUID) error {
	return s.store.EndAtKratos(ctx, user, func(ctx context.Context) error { return s.kratos.EndSessions(ctx, user) })
}

// try logs what Kratos could not be told. It has taken effect here: a cookie that Kratos still
// accepts opens nothing, and a state is told by the task.
func (s *Service) try(ctx context.Context, user uuid.UUID, err error) {
	if err != nil {
		s.log.WarnContext(ctx, "Kratos was not told what staff did", "user", user, "error", err)
	}
}
