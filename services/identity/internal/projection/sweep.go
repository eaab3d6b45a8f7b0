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
// every browser's session, and acts on what it says.
func (k *Keeper) Sweep(ctx context.Context) error {
	now := k.clock.Now()
	if err := k.sweepAccounts(ctx, now); err != nil {
		return err
	}
	return k.sweepSessions(ctx, now)
}

func (k *Keeper) sweepAccounts(ctx context.Context, now time.Time) error {
	for after := uuid.Nil; ; {
		accounts, err := k.store.AccountsInUse(ctx, after, now, kratos.MaxIDs)
		if err != nil || len(accounts) == 0 {
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
		s, err := k.judge(ctx, accounts, byID(listed))
		if err != nil {
			return err
		}
		if err := k.settle(ctx, s); err != nil {
			return err
		}
		k.metrics.asked.WithLabelValues(sweep).Add(float64(len(accounts)))
		if len(accounts) < kratos.MaxIDs {
			return nil
		}
		after = ids[len(ids)-1]
	}
}

// errEndless says that a page of sessions leads to itself.
var errEndless = errors.New("kratos: a page of sessions that follows itself")

// sweepSessions ends families whose Kratos session has ended there.
func (k *Keeper) sweepSessions(ctx context.Context, now time.Time) error {
	var active map[uuid.UUID]bool
	for after := uuid.Nil; ; {
		sessions, err := k.store.KratosSessionsInUse(ctx, after, now, sessionPage)
		if err != nil || len(sessions) == 0 {
			return err
		}
		if active == nil {
			if active, err = k.activeSessions(ctx); err != nil {
				return err
			}
		}
		ended, err := k.ended(ctx, sessions, active)
		if err != nil {
			return err
		}
		if err := k.endFamilies(ctx, ended, now); err != nil {
			return err
		}
		if len(sessions) < sessionPage {
			return nil
		}
		after = sessions[len(sessions)-1]
	}
}

// ended are the sessions that Kratos, asked for each by name, calls ended.
func (k *Keeper) ended(ctx context.Context, sessions []uuid.UUID, active map[uuid.UUID]bool) (ended []uuid.UUID, err error) {
	for _, id := range sessions {
		if active[id] {
			continue
		}
		alive, err := k.kratos.SessionActive(ctx, id)
		if err != nil {
			return nil, err
		}
		if !alive {
			ended = append(ended, id)
		}
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
