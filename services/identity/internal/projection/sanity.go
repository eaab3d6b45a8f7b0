package projection

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/kratos"
)

// ErrImplausible ends a run in which Kratos knew so few accounts or sessions that its database
// must be empty or another installation's. Nothing that Kratos does not know was changed.
var ErrImplausible = errors.New("kratos does not know most of the accounts or sessions that it should know")

// A run fails the sanity check when Kratos does not know more than several accounts and knows
// fewer than a tenth as many. When it does not know enough of them, the run ends at once: ids
// are random, so the first ones are a sample of all.
const (
	several  = 5
	oneInTen = 10
	enough   = 100
)

// sanityCheck counts over a run what Kratos knows and what it does not know.
type sanityCheck struct {
	began time.Time
	known map[uuid.UUID]bool
	gone  []uuid.UUID
}

func newSanityCheck(began time.Time) *sanityCheck {
	return &sanityCheck{began: began, known: map[uuid.UUID]bool{}}
}

// fails reports whether Kratos knows too few. It is asked at the end of a run; earlier,
// failsAlready is.
func (check *sanityCheck) fails() bool {
	return len(check.gone) > several && len(check.known)*oneInTen < len(check.gone)
}

// failsAlready reports, in the middle of a run, whether the sample is large enough to abort it.
func (check *sanityCheck) failsAlready() bool { return len(check.gone) >= enough && check.fails() }

// refuse counts, logs and returns ErrImplausible. what is "accounts" or "sessions".
func (r *Reconciler) refuse(ctx context.Context, what string, check *sanityCheck) error {
	r.metrics.accounts.WithLabelValues("implausible").Add(float64(len(check.gone)))
	r.log.ErrorContext(ctx, "Kratos does not know most of our "+what+", so none was changed: check that KRATOS_ADMIN_URL leads to this installation's Kratos and that its database is complete",
		"unknown", len(check.gone), "known", len(check.known))
	return ErrImplausible
}

// disableMissing disables the accounts that Kratos does not know, unless the sanity check
// fails. If Kratos knows no account at all, that is plausible for a single one only.
func (r *Reconciler) disableMissing(ctx context.Context, check *sanityCheck) error {
	if check.fails() || len(check.known) == 0 && len(check.gone) > 1 {
		return r.refuse(ctx, "accounts", check)
	}
	return r.apply(ctx, changes{gone: check.gone, began: check.began})
}

// askAboutOthers makes the sanity check larger when Kratos knows none of the few accounts that
// are in use: it asks about others, to tell an empty Kratos from deleted accounts.
func (r *Reconciler) askAboutOthers(ctx context.Context, check *sanityCheck) error {
	if len(check.known) > 0 || len(check.gone) == 0 || len(check.gone) > several {
		return nil
	}
	accounts, err := r.store.AccountsBetween(ctx, uuid.Nil, uuid.Max, kratos.MaxIDs)
	if err != nil {
		return err
	}
	var ids []uuid.UUID
	for _, a := range accounts {
		ids = append(ids, a.ID)
	}
	listed, err := r.kratos.Identities(ctx, ids)
	if err != nil {
		return err
	}
	s, err := r.compare(ctx, accounts, byID(listed), check)
	if err != nil {
		return err
	}
	return r.apply(ctx, s)
}
