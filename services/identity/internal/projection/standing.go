package projection

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/session"
)

// standings are accounts by what Kratos says of them.
type standings struct {
	active, inactive, gone []uuid.UUID
}

// judge decides on accounts of which Kratos has listed those in found, and asks Kratos by
// id about each one that is missing. Accounts that are gone only go to the tally, which
// counts at the end of the run. It fails with ErrDoubted as soon as the tally is hopeless.
func (k *Keeper) judge(ctx context.Context, accounts []account.Standing, found map[uuid.UUID]kratos.Identity, t *tally) (s standings, err error) {
	for _, a := range accounts {
		identity, listed := found[a.ID]
		switch {
		case !listed && (a.Gone || slices.Contains(t.gone, a.ID)):
			continue // and still is, for all we know
		case !listed:
			identity, err = k.kratos.Identity(ctx, a.ID)
		}
		if errors.Is(err, kratos.ErrGone) {
			if t.gone = append(t.gone, a.ID); t.hopeless() {
				return standings{}, k.doubt(ctx, "accounts", t)
			}
			err = nil
			continue
		}
		if err != nil {
			return standings{}, err
		}
		t.known[a.ID] = true
		if !identity.Active {
			s.inactive = append(s.inactive, a.ID)
		} else if a.Disabled {
			s.active = append(s.active, a.ID)
		}
	}
	return s, nil
}

// settle stores a judgement.
func (k *Keeper) settle(ctx context.Context, s standings) error {
	for reason, ids := range map[account.Reason][]uuid.UUID{account.Inactive: s.inactive, account.Gone: s.gone} {
		if len(ids) == 0 {
			continue
		}
		changed, families, err := k.store.Disable(ctx, ids, reason, k.clock.Now())
		if err != nil {
			return err
		}
		k.metrics.families.WithLabelValues(string(session.Disabled)).Add(float64(families))
		k.changed(ctx, "disabled", changed, "reason", reason)
	}
	if len(s.active) == 0 {
		return nil
	}
	changed, err := k.store.Enable(ctx, s.active)
	if err != nil {
		return err
	}
	k.changed(ctx, "enabled", changed)
	return nil
}

// changed counts and logs what became of accounts.
func (k *Keeper) changed(ctx context.Context, effect string, ids []uuid.UUID, args ...any) {
	k.metrics.accounts.WithLabelValues(effect).Add(float64(len(ids)))
	for _, id := range ids {
		k.log.InfoContext(ctx, "account "+effect+" as in Kratos", append([]any{"user", id}, args...)...)
	}
}
