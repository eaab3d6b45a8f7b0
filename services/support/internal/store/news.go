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

// MaxTold is how many members of staff StaffWithNews returns; identity takes no more at once.
const MaxTold = 200

// tellStaff has staff, the team's address and the webhook told that the customer wrote; by is whoever
// did it for the customer, or the customer.
func (s *Store) tellStaff(ctx context.Context, tx pgx.Tx, t ticket.Ticket, by uuid.UUID) error {
	opened := t.Version == 1
	err := s.q.AddNews(ctx, tx, db.AddNewsParams{TicketID: t.ID, Opened: opened, Since: t.UpdatedAt, By: by, Usual: string(s.cfg.Notices)})
	if err != nil {
		return err
	}
	if s.cfg.Webhook {
		kind := webhook.Replied
		if opened {
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

// StaffWithNews returns whose email about what customers wrote is due, at most MaxTold.
func (s *Store) StaffWithNews(ctx context.Context) ([]uuid.UUID, error) {
	now := s.now()
	ids, err := s.q.StaffWithNews(ctx, s.pool, db.StaffWithNewsParams{
		Usual: string(s.cfg.Notices), Now: now, AnHourAgo: now.Add(-time.Hour), ADayAgo: now.AddDate(0, 0, -1), Most: MaxTold,
	})
	return ids, pg.Fault(err, nil)
}

// Tell queues one email with all news of a member of staff, who has none then. What was answered
// meanwhile is left out. Without an address there is nobody to tell.
func (s *Store) Tell(ctx context.Context, member uuid.UUID, address string) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := s.q.TakeNews(ctx, tx, member)
		if err != nil {
			return err
		}
		var news []ticket.News
		for _, r := range rows {
			if r.Waiting {
				news = append(news, ticket.News{Opened: r.Opened, Ticket: ticket.Ticket{
					ID: r.ID, Number: r.Number, Content: ticket.Content{Category: ticket.Category(r.Category), Priority: ticket.Priority(r.Priority)},
				}})
			}
		}
		if address == "" || len(news) == 0 {
			return nil
		}
		// Whoever takes the rows is the only one to send this, whatever its key.
		return s.emails.Enqueue(ctx, tx, email.ForStaff(news, "news/"+uuid.NewString(), address, s.cfg.Email.SiteOrigin))
	})
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
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
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
			var value float64
			if s.cfg.TeamAddress != "" {
				if _, trouble := s.emails.Trouble(ctx, s.cfg.TeamAddress); trouble {
					value = 1
				}
			}
			return []obs.Sample{{Value: value}}, nil
		},
	}
}
