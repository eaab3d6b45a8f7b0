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

// Sweep asks Kratos about every account that is signed in or disabled, and about
// every browser's session, and acts on what it says. It fails with ErrDoubted,
// and looks at no session, when Kratos knows too few of the accounts.
func (k *Keeper) Sweep(ctx context.Context) error {
	now := k.clock.Now()
	if err := k.sweepAccounts(ctx, now); err != nil {
		return err
	}
	return k.sweepSessions(ctx, now)
}

func (k *Keeper) sweepAccounts(ctx context.Context, now time.Time) error {
	t := newTally()
	for after, more := uuid.Nil, true; more; {
		accounts, err := k.store.AccountsInUse(ctx, after, now, kratos.MaxIDs)
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
		listed, err := k.kratos.Identities(ctx, ids)
		if err != nil {
			return err
		}
		s, err := k.judge(ctx, accounts, byID(listed), t)
		if err != nil {
			return err
		}
		if err := k.settle(ctx, s); err != nil {
			return err
		}
		k.metrics.asked.WithLabelValues(sweep).Add(float64(len(accounts)))
		after, more = ids[len(ids)-1], len(accounts) == kratos.MaxIDs
	}
	if err := k.witnesses(ctx, t); err != nil {
		return err
	}
	return k.settleGone(ctx, t)
}

// errEndless says that a page of sessions leads to itself.
var errEndless = errors.New("kratos: a page of sessions that follows itself")

// sweepSessions ends families whose Kratos session has ended: at once if Kratos says so of
// a session that it knows; at the end of the run if it no longer knows the session; and not
// at all if it does not know too many.
func (k *Keeper) sweepSessions(ctx context.Context, now time.Time) error {
	t := newTally()
	var active map[uuid.UUID]bool
	for after, more := uuid.Nil, true; more; {
		sessions, err := k.store.KratosSessionsInUse(ctx, after, now, sessionPage)
		if err != nil {
			return err
		}
		if len(sessions) == 0 {
			break
		}
		if active == nil {
			if active, err = k.activeSessions(ctx); err != nil {
				return err
			}
		}
		ended, err := k.ended(ctx, sessions, active, t)
		if err != nil {
			return err
		}
		if err := k.endFamilies(ctx, ended, now); err != nil {
			return err
		}
		after, more = sessions[len(sessions)-1], len(sessions) == sessionPage
	}
	if t.tooFew() {
		return k.doubt(ctx, "sessions", t)
	}
	return k.endFamilies(ctx, t.gone, now)
}

// ended are the sessions that Kratos, asked for each by name, calls ended. Those
// that it does not know go to the tally.
func (k *Keeper) ended(ctx context.Context, sessions []uuid.UUID, active map[uuid.UUID]bool, t *tally) (ended []uuid.UUID, err error) {
	for _, id := range sessions {
		alive := active[id]
		if !alive {
			alive, err = k.kratos.SessionActive(ctx, id)
		}
		switch {
		case errors.Is(err, kratos.ErrGone):
			if t.gone = append(t.gone, id); t.hopeless() {
				return nil, k.doubt(ctx, "sessions", t)
			}
			err = nil
			continue
		case err != nil:
			return nil, err
		case !alive:
			ended = append(ended, id)
		}
		t.known[id] = true
	}
	return ended, nil
}

func (k *Keeper) endFamilies(ctx context.Context, kratosSessions []uuid.UUID, now time.Time) error {
	if len(kratosSessions) == 0 {
		return nil
	}
	n, err := k.store.EndFamilies(ctx, kratosSessions, now)
	if err != nil {
		return err
	}
	k.metrics.families.WithLabelValues(string(session.KratosEnded)).Add(float64(n))
	k.log.InfoContext(ctx, "sessions ended as in Kratos", "sessions", n)
	return nil
}

// activeSessions are the ids of all that Kratos lists as active: 16 bytes each,
// and at most as many as there are browsers signed in.
func (k *Keeper) activeSessions(ctx context.Context) (map[uuid.UUID]bool, error) {
	active := map[uuid.UUID]bool{}
	for token := ""; ; {
		page, next, err := k.kratos.ActiveSessions(ctx, token, activeSessionPage)
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
