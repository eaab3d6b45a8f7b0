// Package erasure ends accounts for good. When the time to take a deletion back is over, it
// tells all services by user.deleted. When each has answered user.erased, it ends the person's
// consent at Apple, and deletes the identity in Kratos and then all that this service holds. Each
// step is one transaction or can be repeated, so that an erasure goes on after any crash.
package erasure

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	erasurev1 "fledge.dev/proto/gen/go/fledge/events/erasure/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clock"
	platform "fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/periodic"
)

const (
	// LastEmailWithin bounds how long an erasure waits for the delivery of the last email, whose
	// address goes with the account.
	LastEmailWithin = 24 * time.Hour
	// appleWithin bounds how long Apple is asked, from the services' last answer on.
	appleWithin = 24 * time.Hour
	// goneFor is how long an account stays that Kratos does not know any more, so that a Kratos
	// that has lost it can be restored.
	goneFor = 7 * 24 * time.Hour

	interval = 10 * time.Second
	timeout  = 10 * time.Minute
	batch    = 100
)

// Services are those that hold something about accounts: each has to answer.
func Services() []string { return []string{"billing", "releases", "support", "waitlist"} }

// Store keeps the erasures. Lists begin after the given id.
type Store interface {
	// EraseGone has accounts erased that Kratos has not known since before a moment.
	EraseGone(ctx context.Context, before, now time.Time) error
	// AccountsToErase lists accounts whose deletion can no longer be taken back, without the first skip of them.
	AccountsToErase(ctx context.Context, now time.Time, skip, limit int) ([]uuid.UUID, error)
	// BeginErasure tells all services, and the owner, that the account ends. It does nothing
	// when the deletion was taken back, or the erasure has begun.
	BeginErasure(ctx context.Context, id uuid.UUID, now time.Time) error
	// AddErasureAnswer notes that a service holds nothing of the account any more.
	AddErasureAnswer(ctx context.Context, tx pgx.Tx, id uuid.UUID, answer Answer) error
	// AnsweredErasures lists erasures under way that all these services have answered.
	AnsweredErasures(ctx context.Context, services []string, after uuid.UUID, limit int) ([]Answered, error)
	// FinishErasure erases what this service holds. done is false while the last email waits
	// for its delivery, see LastEmailWithin.
	FinishErasure(ctx context.Context, id uuid.UUID, now time.Time) (done bool, err error)
	// OpenErasureAges are the ages of the oldest erasure that one of the services has not
	// answered, and of the oldest that all have; 0 without any.
	OpenErasureAges(ctx context.Context, services []string) (unanswered, answered time.Duration, err error)
}

// Answer is what a service says when it has erased an account.
type Answer struct {
	Service string
	At      time.Time
	// AddressHashes are of addresses that the service alone knew to be the account's (SHA-256).
	AddressHashes [][]byte
}

// Answered is an erasure that the services have done their part of.
type Answered struct {
	User uuid.UUID
	// At is when the last of them answered.
	At time.Time
}

// Apple knows that the person has consented to sign in here with their Apple Account.
type Apple interface {
	// Revoke ends the consent, if there is one. done is false while Apple has not: it has to be called
	// again. Apple is asked rarely after failures, but at once if this is the last call. An error is
	// not Apple's.
	Revoke(ctx context.Context, user uuid.UUID, last bool) (done bool, err error)
}

// Kratos holds the person's sign-ins.
type Kratos interface {
	// DeleteIdentity succeeds for an identity that is gone.
	DeleteIdentity(ctx context.Context, id uuid.UUID) error
}

// Eraser takes erasures from step to step.
type Eraser struct {
	store     Store
	kratos    Kratos
	apple     Apple
	clock     clock.Clock
	log       *slog.Logger
	erased    prometheus.Counter
	unrevoked prometheus.Counter
}

// New returns an eraser whose metrics are registered with reg.
func New(store Store, kratos Kratos, apple Apple, clk clock.Clock, log *slog.Logger, reg prometheus.Registerer) (*Eraser, error) {
	e := &Eraser{store: store, kratos: kratos, apple: apple, clock: clk, log: log, erased: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "identity_accounts_erased_total", Help: "Accounts of which nothing is left.",
	}), unrevoked: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "identity_accounts_unrevoked_total", Help: "Accounts that were erased although Apple did not revoke their token within a day.",
	})}
	return e, errors.Join(reg.Register(e.erased), reg.Register(e.unrevoked), obs.ScrapeGauge{
		Name: "identity_erasure_age_seconds", Help: "Age of the oldest erasure of an account that is not done, by what it waits for: an answer of the services, or this service; 0 without any.",
		Labels: []string{"waits_for"},
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			unanswered, answered, err := store.OpenErasureAges(ctx, Services())
			return []obs.Sample{
				{Labels: []string{"services"}, Value: unanswered.Seconds()},
				{Labels: []string{"identity"}, Value: answered.Seconds()},
			}, err
		},
	}.Register(reg))
}

// Task takes every erasure as far as it goes. One that fails does not hold the others up.
func (e *Eraser) Task() periodic.Task {
	return periodic.Task{Name: "account_erasures", Every: interval, Timeout: timeout, Exclusive: true, Run: e.Step}
}

// Step is one run of the task.
func (e *Eraser) Step(ctx context.Context) error {
	return errors.Join(e.begin(ctx), e.finish(ctx))
}

func (e *Eraser) begin(ctx context.Context) error {
	now := e.clock.Now()
	gone := e.store.EraseGone(ctx, now.Add(-goneFor), now)
	var failures []error
	for {
		// Those that have failed are still the first.
		ids, err := e.store.AccountsToErase(ctx, now, len(failures), batch)
		if err != nil {
			return errors.Join(append(failures, gone, err)...)
		}
		for _, id := range ids {
			if err := e.store.BeginErasure(ctx, id, now); err != nil {
				failures = append(failures, err)
				continue
			}
			e.log.InfoContext(ctx, "the erasure of an account begins", "user", id)
		}
		if len(ids) < batch {
			return errors.Join(append(failures, gone)...)
		}
	}
}

func (e *Eraser) finish(ctx context.Context) error {
	var failures []error
	for after := uuid.Nil; ; {
		answered, err := e.store.AnsweredErasures(ctx, Services(), after, batch)
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		for _, a := range answered {
			failures = append(failures, e.finishOne(ctx, a))
		}
		if len(answered) < batch {
			return errors.Join(failures...)
		}
		after = answered[len(answered)-1].User
	}
}

// finishOne asks Apple first: the token goes with the identity. It deletes the identity before
// the account: a sign-in that came in between would open the account anew, under the same id.
func (e *Eraser) finishOne(ctx context.Context, a Answered) error {
	id, last := a.User, e.clock.Now().Sub(a.At) >= appleWithin
	revoked, err := e.apple.Revoke(ctx, id, last)
	if err != nil || !revoked && !last {
		return err
	}
	if err := e.kratos.DeleteIdentity(ctx, id); err != nil {
		return err
	}
	if !revoked {
		e.unrevoked.Inc()
		e.log.ErrorContext(ctx, "an account is erased although Apple has not revoked its token", "user", id)
	}
	done, err := e.store.FinishErasure(ctx, id, e.clock.Now())
	if err != nil || !done {
		return err
	}
	e.erased.Inc()
	e.log.InfoContext(ctx, "an account is erased", "user", id)
	return nil
}

// Consumers note the services' answers.
func Consumers(store Store) []bus.ConsumerSpec {
	var specs []bus.ConsumerSpec
	for _, service := range Services() {
		specs = append(specs, bus.ConsumerSpec{
			Name: "identity-erased-" + service, Stream: bus.StreamOf(service), Type: platform.Erased(service),
			Handle: bus.On(func(ctx context.Context, tx pgx.Tx, ev bus.Event, answer *erasurev1.UserErased) error {
				id, err := bus.AccountID(answer.GetUserId())
				if err != nil {
					return err
				}
				return store.AddErasureAnswer(ctx, tx, id, Answer{Service: service, At: ev.Time, AddressHashes: answer.GetAddressHashes()})
			}),
		})
	}
	return specs
}
