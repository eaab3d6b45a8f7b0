package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
)

// The limits of a sign-up that is yet to be confirmed: whoever types a stranger's address into a form makes
// them get confirmMails emails in a week.
const (
	// ConfirmWithin is how long the link in an email works.
	ConfirmWithin = 3 * 24 * time.Hour
	// KeepUnconfirmed is how long after its last email a sign-up is deleted.
	KeepUnconfirmed = 7 * 24 * time.Hour
	// confirmMails is the most emails to an address until then, confirmPause the least time between two.
	confirmMails = 3
	confirmPause = time.Hour
)

var errNoSignUp = fault.New(fault.NotFound, "confirm_link_unknown", "This link has ended. Please fill in the form again.")

// ConfirmsSignUps is whether people have to confirm their address.
func (s *Store) ConfirmsSignUps() bool { return s.cfg.ConfirmSignUps }

// askToConfirm implements batch.Write: it keeps the sign-ups aside, each with an email to its address, and tells of
// each whether there is one. Both are committed together.
func (s *Store) askToConfirm(ctx context.Context, entries []entry.Entry) (asked []bool, err error) {
	now := s.clock.Now()
	p := db.AddUnconfirmedParams{
		Consent: entry.Consent, EndsAt: now.Add(ConfirmWithin), Most: confirmMails, Again: now.Add(-confirmPause),
		Ids: make([]uuid.UUID, len(entries)), Emails: make([]string, len(entries)), Sources: make([]string, len(entries)), CreatedAts: make([]time.Time, len(entries)),
	}
	for i, e := range entries {
		p.Ids[i], p.Emails[i], p.Sources[i], p.CreatedAts[i] = e.ID, e.Email.String(), string(e.Source), e.CreatedAt
	}
	asked = make([]bool, len(entries))
	first := make(map[string]int, len(entries))
	for i, to := range slices.Backward(p.Emails) {
		first[to] = i
	}
	return asked, pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		rows, err := s.q.AddUnconfirmed(ctx, tx, p)
		if err != nil {
			return err
		}
		for _, row := range rows {
			signUp := email.SignUp{ID: row.ID, Email: row.Email, Token: row.Token, Emails: row.Mails, EndsAt: row.EndsAt}
			if err := s.emails.Enqueue(ctx, tx, email.Confirm(signUp, s.cfg.SiteOrigin)); err != nil {
				return err
			}
			asked[first[row.Email]] = true
		}
		return nil
	})
}

// Confirm puts the sign-up of a token on the list and reports whether that changed anything: a link that was used
// may be used again. One that has ended, and an unknown one, is a NotFound.
func (s *Store) Confirm(ctx context.Context, token uuid.UUID) (changed bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := s.q.TakeUnconfirmed(ctx, tx, db.TakeUnconfirmedParams{Token: token, Now: s.clock.Now()})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			n, err := s.q.SetConfirmed(ctx, tx, db.SetConfirmedParams{Token: token, Now: s.clock.Now()})
			if err == nil && n == 0 {
				return errNoSignUp
			}
			return err
		}
		u := rows[0]
		changed, err = s.q.AddConfirmed(ctx, tx, db.AddConfirmedParams{
			ID: u.ID, Email: u.Email, Spelled: spelled(u.Email), Source: u.Source, Now: s.clock.Now(), Consent: u.Consent, ConsentedAt: u.CreatedAt, Token: u.Token,
		})
		return err
	})
	return changed && err == nil, err
}

// ListUnconfirmed returns at most limit sign-ups with that part of the address, newest first, after the cursor, and
// where the following page begins.
func (s *Store) ListUnconfirmed(ctx context.Context, search string, after *Cursor, limit int) (_ []db.Unconfirmed, next *Cursor, err error) {
	if after == nil {
		after = &keyset.Start
	}
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	size := limit + 1
	if search != "" {
		size = MaxChunk // of which few may be found
	}
	var found []db.Unconfirmed
	for len(found) <= limit {
		rows, err := s.q.ListUnconfirmed(ctx, s.pool, db.ListUnconfirmedParams{
			Pattern: patternOf(search), BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: int32(size),
		})
		if err != nil {
			return nil, nil, pg.Fault(err, nil)
		}
		for _, row := range rows {
			if isSpelled(row.Email, search) {
				found = append(found, row)
			}
		}
		if len(rows) < size {
			break
		}
		last := rows[len(rows)-1]
		after = &Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
	if len(found) > limit {
		found = found[:limit]
		next = &Cursor{CreatedAt: found[limit-1].CreatedAt, ID: found[limit-1].ID}
	}
	return found, next, nil
}

// isSpelled is whether the address has the search in it, as it is stored or in the letters of its domain's language.
func isSpelled(email, search string) bool {
	return hasParts(email, address.Searched(search)) || hasParts(address.Unicode(email), address.SearchedUnicode(search))
}

// hasParts is whether the text is like inParts of the search.
func hasParts(text, search string) bool {
	for part := range strings.SplitSeq(search, " ") {
		var ok bool
		if _, text, ok = strings.Cut(text, part); !ok {
			return false
		}
	}
	return true
}

// CountUnconfirmed counts the sign-ups that can be confirmed.
func (s *Store) CountUnconfirmed(ctx context.Context) (int64, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	n, err := s.q.CountUnconfirmed(ctx, s.pool, s.clock.Now())
	return n, pg.Fault(err, nil)
}

// UnconfirmedCleanup is the task that deletes the sign-ups that nobody has confirmed. It also runs while
// no confirmation is asked for: some may be left of before.
func (s *Store) UnconfirmedCleanup() periodic.Task {
	return periodic.Task{Name: "unconfirmed_cleanup", Every: time.Hour, Timeout: 10 * time.Minute, Exclusive: true, Run: func(ctx context.Context) error {
		refused, err := s.q.Refused(ctx, s.pool)
		for _, token := range refused {
			if _, _, failure := s.Leave(ctx, token); !errors.Is(failure, fault.NotFound) {
				err = errors.Join(err, failure)
			}
		}
		return errors.Join(err, periodic.Clean(ctx, s.clock.Now(), nil, periodic.Kind{
			Name: "unconfirmed", Kept: KeepUnconfirmed, Remove: func(ctx context.Context, before time.Time, count int32) (int64, error) {
				return s.q.CleanUnconfirmed(ctx, s.pool, db.CleanUnconfirmedParams{Before: before, Count: count})
			},
		}))
	}}
}

// shown is the state of an email that staff are shown, "" for one that there is nothing to tell of.
func shown(state mail.State) string {
	if state == mail.Unsubscribed {
		return ""
	}
	return string(state)
}
