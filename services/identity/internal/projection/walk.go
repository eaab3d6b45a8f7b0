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
	walkPage = 100
	walkRest = 10 * time.Millisecond
	// Progress is logged every so many identities.
	walkReport = 10_000
	// Sign-ins are read back to the last good walk and a little further, at first
	// as far as a session can last.
	signInsOverlap = time.Hour
	signInsAtFirst = 30 * 24 * time.Hour
)

// Walk compares every identity with its account, and takes over the sign-ins
// since last, the beginning of the last good walk. Both lists are in the order
// of the ids, so that it holds one page of each, and the ids of all. Missing
// accounts are disabled at the end.
func (k *Keeper) Walk(ctx context.Context, last time.Time) error {
	seen, t := 0, newTally()
	after := uuid.Nil
	for token := ""; ; {
		page, next, err := k.kratos.WalkIdentities(ctx, token, walkPage)
		if err != nil {
			return err
		}
		upTo, err := reach(page, next, after)
		if err != nil {
			return err
		}
		if err := k.repair(ctx, page); err != nil {
			return err
		}
		if err := k.settleBetween(ctx, after, upTo, byID(page), t); err != nil {
			return err
		}
		k.metrics.asked.WithLabelValues(walk).Add(float64(len(page)))
		if seen += len(page); seen%walkReport < len(page) {
			k.log.InfoContext(ctx, "walking over Kratos' identities", "seen", seen)
		}
		if next == "" {
			break
		}
		if !service.Pause(ctx, walkRest) {
			return ctx.Err()
		}
		after, token = upTo, next
	}
	if err := k.settleGone(ctx, t); err != nil {
		return err
	}
	signIns, err := k.takeOverSignIns(ctx, last)
	if err != nil {
		return err
	}
	k.log.InfoContext(ctx, "walked over Kratos' identities", "seen", seen, "sign_ins", signIns)
	return nil
}

// reach is the last id that the page speaks for: the last page for all that
// follow. A page that leads nowhere would make the walk endless.
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
func (k *Keeper) repair(ctx context.Context, page []kratos.Identity) error {
	var known []account.Known
	for _, i := range page {
		if i.Email == "" {
			k.metrics.accounts.WithLabelValues("unverified").Inc()
			continue
		}
		known = append(known, account.Known{
			UserID: i.ID, Email: i.Email, Identities: i.Providers, ConfirmedAt: i.EmailVerifiedAt, CreatedAt: i.CreatedAt,
		})
	}
	added, repaired, err := k.store.Repair(ctx, known, k.clock.Now())
	k.changed(ctx, "added", added)
	k.changed(ctx, "repaired", repaired)
	return err
}

// settleBetween judges all accounts of a range by the identities in it.
func (k *Keeper) settleBetween(ctx context.Context, after, upTo uuid.UUID, found map[uuid.UUID]kratos.Identity, t *tally) error {
	for {
		accounts, err := k.store.AccountsBetween(ctx, after, upTo, walkPage)
		if err != nil || len(accounts) == 0 {
			return err
		}
		s, err := k.judge(ctx, accounts, found, t)
		if err != nil {
			return err
		}
		if err := k.settle(ctx, s); err != nil {
			return err
		}
		if len(accounts) < walkPage {
			return nil
		}
		after = accounts[len(accounts)-1].ID
	}
}

// takeOverSignIns goes through Kratos' sessions from the newest on.
func (k *Keeper) takeOverSignIns(ctx context.Context, last time.Time) (changed int, err error) {
	since := last.Add(-signInsOverlap)
	if last.IsZero() {
		since = k.clock.Now().Add(-signInsAtFirst)
	}
	for token := ""; ; {
		page, next, err := k.kratos.SignIns(ctx, token, sessionPage)
		if err != nil {
			return changed, err
		}
		var signIns []account.SignIn
		for _, s := range page {
			signIns = append(signIns, account.SignIn{UserID: s.Identity, Provider: s.Provider, At: s.At})
		}
		n, err := k.store.RaiseSignIns(ctx, signIns)
		changed += n
		k.metrics.accounts.WithLabelValues("signed_in").Add(float64(n))
		switch {
		case err != nil:
			return changed, err
		case next == "" || len(page) > 0 && page[len(page)-1].At.Before(since):
			return changed, nil
		case next == token:
			return changed, errEndless
		case !service.Pause(ctx, walkRest):
			return changed, ctx.Err()
		}
		token = next
	}
}
