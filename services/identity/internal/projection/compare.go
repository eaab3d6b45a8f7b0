package projection

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/session"
)

// changes are the accounts to change, by what Kratos says of them: active ones are enabled,
// the others are disabled.
type changes struct {
	active, inactive, gone []uuid.UUID
	// began is when the run did, before Kratos was asked.
	began time.Time
}

// compare returns what to change in accounts. found has those of their identities that Kratos
// has listed; it is asked by id for each of the others. An account that Kratos does not know
// is only counted in the sanity check, which decides at the end of the run. compare fails with
// ErrImplausible as soon as the check can only fail.
func (r *Reconciler) compare(ctx context.Context, accounts []account.Standing, found map[uuid.UUID]kratos.Identity, check *sanityCheck) (s changes, err error) {
	s.began = check.began
	for _, a := range accounts {
		identity, listed := found[a.ID]
		switch {
		case !listed && (a.Gone || slices.Contains(check.gone, a.ID)):
			continue // and still is, for all we know
		case !listed:
			identity, err = r.kratos.Identity(ctx, a.ID)
		}
		if errors.Is(err, kratos.ErrGone) {
			if check.gone = append(check.gone, a.ID); check.failsAlready() {
				return changes{}, r.refuse(ctx, "accounts", check)
			}
			err = nil
			continue
		}
		if err != nil {
			return changes{}, err
		}
		check.known[a.ID] = true
		if !identity.Active {
			s.inactive = append(s.inactive, a.ID)
		} else if a.Disabled {
			s.active = append(s.active, a.ID)
		}
	}
	return s, nil
}

// apply stores the changes.
func (r *Reconciler) apply(ctx context.Context, s changes) error {
	for reason, ids := range map[account.Reason][]uuid.UUID{account.Inactive: s.inactive, account.Gone: s.gone} {
		if len(ids) == 0 {
			continue
		}
		changed, families, err := r.store.Disable(ctx, ids, reason, s.began, r.clock.Now())
		if err != nil {
			return err
		}
		r.metrics.families.WithLabelValues(string(session.Disabled)).Add(float64(families))
		r.changed(ctx, "disabled", changed, "reason", reason)
	}
	if len(s.active) == 0 {
		return nil
	}
	changed, err := r.store.Enable(ctx, s.active, s.began, r.clock.Now())
	if err != nil {
		return err
	}
	r.changed(ctx, "enabled", changed)
	return nil
}

// changed counts and logs what became of accounts.
func (r *Reconciler) changed(ctx context.Context, effect string, ids []uuid.UUID, args ...any) {
	r.metrics.accounts.WithLabelValues(effect).Add(float64(len(ids)))
	for _, id := range ids {
		r.log.InfoContext(ctx, "account "+effect+" as in Kratos", append([]any{"user", id}, args...)...)
	}
}
