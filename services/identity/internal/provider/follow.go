package provider

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

// Accounts are what a notification changes. Each change is one transaction, and made again changes nothing.
type Accounts interface {
	// User fails with a fault.NotFound for an account that does not exist.
	User(ctx context.Context, id uuid.UUID) (account.User, error)
	// SetEmailOff notes that emails to an account's address arrive no more, or do again, unless
	// something later is known. It does nothing to an account with another address.
	SetEmailOff(ctx context.Context, user uuid.UUID, email string, off bool, at time.Time) error
	// EndSignInsBefore ends the families of an account whose person signed in until a moment, or may have:
	// it is by Apple's clock. Older sign-ins open no other.
	EndSignInsBefore(ctx context.Context, user uuid.UUID, at, now time.Time) (ended int, err error)
	// EndAtKratos has end do so with all sessions at Kratos, and notes that unless it fails.
	EndAtKratos(ctx context.Context, user uuid.UUID, end func(context.Context) error) error
	// ChangeProviders has change take away or add providers, and notes what is left; it fails with
	// a fault.NotFound for an account that does not exist.
	ChangeProviders(ctx context.Context, user uuid.UUID, now time.Time, change func(context.Context) ([]string, error)) (account.User, error)
}

// Kratos knows whose id at a provider is whose.
type Kratos interface {
	// IdentityOf fails with kratos.ErrGone for a subject that nobody has.
	IdentityOf(ctx context.Context, provider, subject string) (uuid.UUID, error)
	// Unlink fails with kratos.ErrLastProvider.
	Unlink(ctx context.Context, identity uuid.UUID, provider string) (left []string, err error)
	// EndSessions ends all sessions of an identity.
	EndSessions(ctx context.Context, identity uuid.UUID) error
}

// Follower does what Apple's notifications ask for.
type Follower struct {
	notifications *Notifications
	accounts      Accounts
	kratos        Kratos
	clock         clock.Clock
	log           *slog.Logger
	received      *prometheus.CounterVec
}

// NewFollower returns a follower whose metric is registered with reg.
func NewFollower(n *Notifications, accounts Accounts, k Kratos, clk clock.Clock, log *slog.Logger, reg prometheus.Registerer) (*Follower, error) {
	f := &Follower{notifications: n, accounts: accounts, kratos: k, clock: clk, log: log, received: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "identity_apple_notifications_total", Help: "Notifications of Apple that were followed, by kind; other has no effect.",
	}, []string{"kind"})}
	for _, kind := range []Kind{EmailDisabled, EmailEnabled, ConsentRevoked, AccountDelete, other} {
		f.received.WithLabelValues(string(kind))
	}
	return f, reg.Register(f.received)
}

// Receive follows what a notification says, which may come again and late. It fails like Notifications.Read, or as
// Unavailable while Kratos cannot be asked, after which Apple sends it again.
func (f *Follower) Receive(ctx context.Context, body []byte) error {
	list, err := f.notifications.Read(ctx, body)
	if err != nil {
		return err
	}
	for _, n := range list {
		if err := f.follow(ctx, n); err != nil {
			return err
		}
		f.received.WithLabelValues(string(n.Kind)).Inc()
	}
	return nil
}

func (f *Follower) follow(ctx context.Context, n Notification) error {
	if n.Kind == other {
		return nil
	}
	user, err := f.kratos.IdentityOf(ctx, Apple, n.Subject)
	switch {
	case errors.Is(err, kratos.ErrGone):
		return nil // erased, or removed from the account
	case err != nil:
		return err
	case n.Kind == EmailDisabled || n.Kind == EmailEnabled:
		return f.accounts.SetEmailOff(ctx, user, n.Email, n.Kind == EmailDisabled, n.At)
	}
	return f.unlink(ctx, user, n)
}

// unlink removes Apple from an account and signs it out. Where it is the only way in, it stays: a
// person who signs in with Apple again, and consents, is the same to Apple.
func (f *Follower) unlink(ctx context.Context, user uuid.UUID, n Notification) error {
	now := f.clock.Now()
	u, err := f.accounts.User(ctx, user)
	// Whoever has come by Apple since has consented again.
	if err == nil && (u.Provider != Apple || u.LastSignInAt.Sub(n.At) <= session.ClockSkew) {
		_, err = f.accounts.ChangeProviders(ctx, user, now, func(ctx context.Context) ([]string, error) {
			return f.kratos.Unlink(ctx, user, Apple)
		})
	}
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil && !errors.Is(err, kratos.ErrLastProvider) {
		return err
	}
	at := n.At
	if at.After(now) { // by Apple's clock, and whoever signs in now has come back
		at = now
	}
	ended, err := f.accounts.EndSignInsBefore(ctx, user, at, now)
	if err != nil {
		return err
	}
	f.log.InfoContext(ctx, "Apple reports that a person has left", "user", user, "kind", n.Kind, "families", ended)
	if now.Sub(at) > session.ClockSkew {
		return nil // who has signed in since stays
	}
	return f.accounts.EndAtKratos(ctx, user, func(ctx context.Context) error { return f.kratos.EndSessions(ctx, user) })
}
