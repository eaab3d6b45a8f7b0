package projection

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/kratos"
)

// ErrDoubted ends a run in which Kratos knew so little that it cannot be ours:
// its database is empty, or another installation's. What it said of being gone
// has had no effect then.
var ErrDoubted = errors.New("kratos: it knows too few of those it should know, so its word on who is gone does not count")

// Of more than several, less than one in ten known is too few. Once enough are
// missing nobody else is asked about: ids are random, so the first speak for all.
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

// hopeless is when asking on is of no use.
func (t *tally) hopeless() bool { return len(t.gone) >= enough && t.tooFew() }

// doubt is ErrDoubted when too few of what was tallied are known.
func (k *Keeper) doubt(ctx context.Context, what string, t *tally) error {
	k.metrics.accounts.WithLabelValues("doubted").Add(float64(len(t.gone)))
	k.log.ErrorContext(ctx, what+" stay, for Kratos knows too few: is it the right one?", "gone", len(t.gone), "known", len(t.known))
	return ErrDoubted
}

// settleGone believes or doubts what a run over accounts found to be gone. A
// Kratos that knows nobody is believed when there is one account alone.
func (k *Keeper) settleGone(ctx context.Context, t *tally) error {
	if t.tooFew() || len(t.known) == 0 && len(t.gone) > 1 {
		return k.doubt(ctx, "accounts", t)
	}
	return k.settle(ctx, standings{gone: t.gone})
}

// witnesses asks about accounts that nobody is signed in to, when of the few
// that are in use Kratos knows none: it may be empty, or these were deleted.
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
