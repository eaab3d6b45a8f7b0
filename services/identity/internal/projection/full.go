package projection

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/service"
)

const (
	// Identities on a page, and the rest that Kratos gets between two pages.
	identityPage = 100
	rest         = 10 * time.Millisecond
	// Progress is logged every so many identities.
	reportEvery = 10_000
	// Sign-ins are read back to the last run that succeeded and a little further, at first
	// as far as a session can last.
	signInsOverlap = time.Hour
	signInsAtFirst = 30 * 24 * time.Hour
)

// Full compares every identity with its account, and takes over the sign-ins since last, when
// the last full run that succeeded began. Both lists are in the order of the ids, so that it
// holds one page of each, and the ids of all. Accounts that Kratos does not know are disabled
// at the end.
func (r *Reconciler) Full(ctx context.Context, last time.Time) error {
	seen, check, surplus := 0, newSanityCheck(r.clock.Now()), &surplusRun{Reconciler: r}
	defer surplus.report(ctx)
	after := uuid.Nil
	for token := ""; ; {
		page, next, err := r.kratos.ListIdentities(ctx, token, identityPage)
		if err != nil {
			return err
		}
		upTo, err := reach(page, next, after)
		if err != nil {
			return err
		}
		if err := r.repair(ctx, page); err != nil {
			return err
		}
		surplus.drop(ctx, page)
		if err := r.reconcileRange(ctx, after, upTo, byID(page), check); err != nil {
			return err
		}
		r.metrics.asked.WithLabelValues(full).Add(float64(len(page)))
		if seen += len(page); seen%reportEvery < len(page) {
			r.log.InfoContext(ctx, "comparing all identities of Kratos", "seen", seen)
		}
		if next == "" {
			break
		}
		if !service.Pause(ctx, rest) {
			return ctx.Err()
		}
		after, token = upTo, next
	}
	if err := r.disableMissing(ctx, check); err != nil {
		return err
	}
	signIns, err := r.takeOverSignIns(ctx, last)
	if err != nil {
		return err
	}
	r.log.InfoContext(ctx, "compared all identities of Kratos", "seen", seen, "sign_ins", signIns)
	return nil
}

// reach is the last id that the page speaks for: the last page for all that
// follow. A page that leads nowhere would make the run endless.
func reach(page []kratos.Identity, next string, after uuid.UUID) (uuid.UUID, error) {
	if len(page) > 0 && bytes.Compare(page[0].ID[:], after[:]) <= 0 {
		return uuid.Nil, errors.New("kratos: the pages of identities overlap")
	}
	if next == "" {
		return uuid.Max, nil
	}
	if len(page) == 0 {
		return uuid.Nil, errors.New("kratos: an empty page of identities that is not the last")
	}
	return page[len(page)-1].ID, nil
}

// repair adds and corrects accounts. It ignores identities without a verified address:
// their accounts stay as they are.
func (r *Reconciler) repair(ctx context.Context, page []kratos.Identity) error {
	var listed []account.Known
	for _, i := range page {
		if i.Email == "" {
			r.metrics.accounts.WithLabelValues("unverified").Inc()
			continue
		}
		listed = append(listed, known(i))
	}
	added, repaired, err := r.store.Repair(ctx, listed, func(ctx context.Context, id uuid.UUID) (account.Known, error) {
		i, err := r.kratos.Identity(ctx, id)
		if errors.Is(err, kratos.ErrGone) {
			return account.Known{}, nil
		}
		return known(i), err
	}, r.clock.Now())
	r.changed(ctx, "added", added)
	r.changed(ctx, "repaired", repaired)
	return err
}

func known(i kratos.Identity) account.Known {
	return account.Known{UserID: i.ID, Email: i.Email, Identities: i.Providers, ConfirmedAt: i.EmailVerifiedAt, CreatedAt: i.CreatedAt}
}

// reconcileRange compares all accounts of a range with the identities in it.
func (r *Reconciler) reconcileRange(ctx context.Context, after, upTo uuid.UUID, found map[uuid.UUID]kratos.Identity, check *sanityCheck) error {
	for {
		accounts, err := r.store.AccountsBetween(ctx, after, upTo, identityPage)
		if err != nil || len(accounts) == 0 {
			return err
		}
		s, err := r.compare(ctx, accounts, found, check)
		if err != nil {
			return err
		}
		if err := r.apply(ctx, s); err != nil {
			return err
		}
		if len(accounts) < identityPage {
			return nil
		}
		after = accounts[len(accounts)-1].ID
	}
}

// takeOverSignIns goes through Kratos' sessions from the newest on.
func (r *Reconciler) takeOverSignIns(ctx context.Context, last time.Time) (changed int, err error) {
	since := last.Add(-signInsOverlap)
	if last.IsZero() {
		since = r.clock.Now().Add(-signInsAtFirst)
	}
	for token := ""; ; {
		page, next, err := r.kratos.SignIns(ctx, token, sessionPage)
		if err != nil {
			return changed, err
		}
		var signIns []account.SignIn
		for _, s := range page {
			signIns = append(signIns, account.SignIn{UserID: s.Identity, Provider: s.Provider, At: s.At})
		}
		n, err := r.store.RaiseSignIns(ctx, signIns)
		changed += n
		r.metrics.accounts.WithLabelValues("signed_in").Add(float64(n))
		switch {
		case err != nil:
			return changed, err
		case next == "" || len(page) > 0 && page[len(page)-1].At.Before(since):
			return changed, nil
		case next == token:
			return changed, errEndless
		case !service.Pause(ctx, rest):
			return changed, ctx.Err()
		}
		token = next
	}
}
