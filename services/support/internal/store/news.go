package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
	"fledge.dev/services/support/internal/webhook"
)

// maxTold is how many members of staff StaffWithNews returns; identity takes no more at once.
const maxTold = 200

// tellStaff has staff, the team's address and the webhook told that the customer wrote; by is whoever
// did it for the customer, or the customer.
func (s *Store) tellStaff(ctx context.Context, tx pgx.Tx, t ticket.Ticket, by uuid.UUID) error {
	err := s.q.AddNews(ctx, tx, db.AddNewsParams{TicketID: t.ID, Since: t.UpdatedAt, By: by, Usual: string(s.cfg.Notices)})
	if err != nil {
		return err
	}
	if s.cfg.Webhook {
		kind := webhook.Replied
		if t.Version == 1 {
			kind = webhook.Opened
		}
		if err := s.q.AddWebhookCall(ctx, tx, db.AddWebhookCallParams{ID: uuid.New(), TicketID: t.ID, Type: kind, Now: t.UpdatedAt}); err != nil {
			return err
		}
	}
	if s.cfg.TeamAddress == "" {
		return nil
	}
	return s.emails.Enqueue(ctx, tx, email.ForTeam(t, s.cfg.TeamAddress, s.cfg.Email.SiteOrigin))
}

// StaffWithNews returns whose email about what customers wrote is due, at most maxTold. What
// nobody wants to be told any more is dropped.
func (s *Store) StaffWithNews(ctx context.Context) ([]uuid.UUID, error) {
	if err := s.q.DropUnwantedNews(ctx, s.pool, string(s.cfg.Notices)); err != nil {
		return nil, pg.Fault(err, nil)
	}
	now := s.now()
	ids, err := s.q.StaffWithNews(ctx, s.pool, db.StaffWithNewsParams{
		Usual: string(s.cfg.Notices), Now: now, AnHourAgo: now.Add(-time.Hour), ADayAgo: now.AddDate(0, 0, -1), Most: maxTold,
	})
	return ids, pg.Fault(err, nil)
}

// Tell queues one email with all news of a member of staff, who has none then. What was answered
// meanwhile is left out. Without an address there is nobody to tell.
func (s *Store) Tell(ctx context.Context, member uuid.UUID, address string) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		news, err := s.takeNews(ctx, tx, member)
		if err != nil || address == "" || len(news) == 0 {
			return err
		}
		// Whoever takes the rows is the only one to send this, whatever its key.
		return s.emails.Enqueue(ctx, tx, email.ForStaff(news, "news/"+uuid.NewString(), address, s.cfg.Email.SiteOrigin))
	})
}

func (s *Store) takeNews(ctx context.Context, tx pgx.Tx, member uuid.UUID) ([]ticket.News, error) {
	taken, err := s.q.TakeNews(ctx, tx, member)
	if err != nil {
		return nil, err
	}
	ids, since := make([]uuid.UUID, len(taken)), make(map[uuid.UUID]time.Time, len(taken))
	for i, row := range taken {
		ids[i], since[row.TicketID] = row.TicketID, row.Since
	}
	// A statement of its own: it sees what the transactions did for which the one above has waited.
	waiting, err := s.q.WaitingTickets(ctx, tx, ids)
	news := make([]ticket.News, len(waiting))
	for i, r := range waiting {
		news[i] = ticket.News{
			Opened: !r.Answered && !since[r.ID].After(r.CreatedAt),
			Ticket: ticket.Ticket{ID: r.ID, Number: r.Number, Content: ticket.Content{Category: ticket.Category(r.Category), Priority: ticket.Priority(r.Priority)}},
		}
	}
	return news, err
}

// Notices returns how the member of staff is told that customers wrote.
func (s *Store) Notices(ctx context.Context, member uuid.UUID) (ticket.Notices, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	chosen, err := s.q.NoticesOf(ctx, s.pool, member)
	if chosen == "" && (err == nil || errors.Is(err, pgx.ErrNoRows)) {
		return s.cfg.Notices, nil
	}
	return ticket.Notices(chosen), pg.Fault(err, nil)
}

// SetNotices chooses how the actor is told that customers wrote.
func (s *Store) SetNotices(ctx context.Context, actor ticket.Person, chosen ticket.Notices) error {
	return s.asStaff(ctx, actor, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.q.SetNotices(ctx, tx, db.SetNoticesParams{ID: actor.ID, Email: actor.Email, Notices: string(chosen)}); err != nil {
			return err
		}
		if chosen != ticket.Off {
			return nil
		}
		return s.q.DropNews(ctx, tx, actor.ID)
	})
}

// TeamUnreachable says whether the team's address gets no emails any more, because one has bounced
// or was given up.
func (s *Store) TeamUnreachable() obs.ScrapeGauge {
	return obs.ScrapeGauge{
		Name: "support_team_unreachable", Help: "1 while emails to TEAM_ADDRESS do not arrive, as far as is known.", MaxAge: 10 * time.Second,
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			if s.cfg.TeamAddress == "" {
				return []obs.Sample{{Value: 0}}, nil
			}
			_, trouble, err := s.emails.Trouble(ctx, s.cfg.TeamAddress)
			if err != nil {
				return nil, err
			}
			var value float64
			if trouble {
				value = 1
			}
			return []obs.Sample{{Value: value}}, nil
		},
	}
}
