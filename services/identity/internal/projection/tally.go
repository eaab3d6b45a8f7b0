package projection

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/kratos"
)

// ErrDoubted ends a run in which Kratos knew so few accounts that it cannot be ours:
// its database is empty, or another installation's. No account was disabled as gone then.
var ErrDoubted = errors.New("kratos: it knows too few of those it should know, so its word on who is gone does not count")

// With more than several missing, fewer than a tenth as many known is too few. Once enough
// are missing, no others are asked about: ids are random, so the first are a sample.
const (
	several  = 5
	oneInTen = 10
	enough   = 100
)

// tally counts over a whole run what Kratos knows and what it says is gone.
type tally struct {
	known map[uuid.UUID]bool
	gone  []uuid.UUID
}

func newTally() *tally { return &tally{known: map[uuid.UUID]bool{}} }

// tooFew holds for the whole run or, with at least enough missing, for its beginning.
func (t *tally) tooFew() bool { return len(t.gone) > several && len(t.known)*oneInTen < len(t.gone) }

// hopeless reports whether the outcome is certain before the end of the run.
func (t *tally) hopeless() bool { return len(t.gone) >= enough && t.tooFew() }

// doubt is ErrDoubted when too few of what was tallied are known.
func (k *Keeper) doubt(ctx context.Context, what string, t *tally) error {
	k.metrics.accounts.WithLabelValues("doubted").Add(float64(len(t.gone)))
	k.log.ErrorContext(ctx, what+" stay, for Kratos knows too few: is it the right one?", "gone", len(t.gone), "known", len(t.known))
	return ErrDoubted
}

// settleGone disables the accounts that a run found to be gone, or doubts the run. A
// Kratos that knows no account is believed only if there is a single one.
func (k *Keeper) settleGone(ctx context.Context, t *tally) error {
	if t.tooFew() || len(t.known) == 0 && len(t.gone) > 1 {
		return k.doubt(ctx, "accounts", t)
	}
	return k.settle(ctx, standings{gone: t.gone})
}

// witnesses asks about accounts without sessions, if Kratos knows none of the few that
// have some: it may be empty, or these were deleted.
func (k *Keeper) witnesses(ctx context.Context, t *tally) error {
	if len(t.known) > 0 || len(t.gone) == 0 || len(t.gone) > several {
		return nil
	}
	accounts, err := k.store.AccountsBetween(ctx, uuid.Nil, uuid.Max, kratos.MaxIDs)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, a := range accounts {
		ids = append(ids, a.ID)
	}
	listed, err := k.kratos.Identities(ctx, ids)
	if err != nil {
		return err
	}
	s, err := k.judge(ctx, accounts, byID(listed), t)
	if err != nil {
		return err
	}
	return k.settle(ctx, s)
}
