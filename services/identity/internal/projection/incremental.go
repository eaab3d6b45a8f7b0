package projection

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/session"
)

// How many sessions are on a page of ours, and on one of Kratos': the most that
// it gives, since a page of any size takes it about the same time.
const (
	sessionPage       = 250
	activeSessionPage = 1000
)

// Incremental asks Kratos about every account that is signed in or disabled, and then about
// every browser's session, and applies what it says. It fails with ErrImplausible, before it
// looks at sessions, when Kratos knows too few of the accounts.
func (r *Reconciler) Incremental(ctx context.Context) error {
	now := r.clock.Now()
	if err := r.reconcileAccounts(ctx, now); err != nil {
		return err
	}
	return r.reconcileSessions(ctx, now)
}

func (r *Reconciler) reconcileAccounts(ctx context.Context, now time.Time) error {
	check := newSanityCheck(now)
	for after, more := uuid.Nil, true; more; {
		accounts, err := r.store.AccountsInUse(ctx, after, now, kratos.MaxIDs)
		if err != nil {
			return err
		}
		if len(accounts) == 0 {
			break
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
		if err := r.apply(ctx, s); err != nil {
			return err
		}
		r.metrics.asked.WithLabelValues(incremental).Add(float64(len(accounts)))
		after, more = ids[len(ids)-1], len(accounts) == kratos.MaxIDs
	}
	if err := r.askAboutOthers(ctx, check); err != nil {
		return err
	}
	return r.disableMissing(ctx, check)
}

// errEndless says that a page of sessions leads to itself.
var errEndless = errors.New("kratos: a page of sessions that follows itself")

// reconcileSessions ends families whose Kratos session has ended: at once if Kratos says so of
// a session that it knows; at the end of the run if it no longer knows the session; and not
// at all if there are too many that it does not know.
func (r *Reconciler) reconcileSessions(ctx context.Context, now time.Time) error {
	check := newSanityCheck(now)
	var active map[uuid.UUID]bool
	for after, more := uuid.Nil, true; more; {
		sessions, err := r.store.KratosSessionsInUse(ctx, after, now, sessionPage)
		if err != nil {
			return err
		}
		if len(sessions) == 0 {
			break
		}
		if active == nil {
			if active, err = r.activeSessions(ctx); err != nil {
				return err
			}
		}
		ended, err := r.ended(ctx, sessions, active, check)
		if err != nil {
			return err
		}
		if err := r.endFamilies(ctx, ended, now); err != nil {
			return err
		}
		after, more = sessions[len(sessions)-1], len(sessions) == sessionPage
	}
	if check.fails() {
		return r.refuse(ctx, "sessions", check)
	}
	return r.endFamilies(ctx, check.gone, now)
}

// ended returns the sessions that Kratos, asked by id, reports as ended. Those that it does
// not know are counted in the sanity check.
func (r *Reconciler) ended(ctx context.Context, sessions []uuid.UUID, active map[uuid.UUID]bool, check *sanityCheck) (ended []uuid.UUID, err error) {
	for _, id := range sessions {
		alive := active[id]
		if !alive {
			alive, err = r.kratos.SessionActive(ctx, id)
		}
		switch {
		case errors.Is(err, kratos.ErrGone):
			if check.gone = append(check.gone, id); check.failsAlready() {
				return nil, r.refuse(ctx, "sessions", check)
			}
			err = nil
			continue
		case err != nil:
			return nil, err
		case !alive:
			ended = append(ended, id)
		}
		check.known[id] = true
	}
	return ended, nil
}

func (r *Reconciler) endFamilies(ctx context.Context, kratosSessions []uuid.UUID, now time.Time) error {
	if len(kratosSessions) == 0 {
		return nil
	}
	n, err := r.store.EndFamilies(ctx, kratosSessions, now)
	if err != nil {
		return err
	}
	r.metrics.families.WithLabelValues(string(session.KratosEnded)).Add(float64(n))
	r.log.InfoContext(ctx, "sessions ended as in Kratos", "sessions", n)
	return nil
}

// activeSessions are the ids of all that Kratos lists as active: 16 bytes each,
// and at most as many as there are browsers signed in.
func (r *Reconciler) activeSessions(ctx context.Context) (map[uuid.UUID]bool, error) {
	active := map[uuid.UUID]bool{}
	for token := ""; ; {
		page, next, err := r.kratos.ActiveSessions(ctx, token, activeSessionPage)
		if err != nil {
			return nil, err
		}
		for _, id := range page {
			active[id] = true
		}
		switch next {
		case "":
			return active, nil
		case token:
			return nil, errEndless
		}
		token = next
	}
}

func byID(list []kratos.Identity) map[uuid.UUID]kratos.Identity {
	m := make(map[uuid.UUID]kratos.Identity, len(list))
	for _, i := range list {
		m[i.ID] = i
	}
	return m
}
