package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/bus"
)

// word is something that identity says of an account.
type word struct {
	bus.Event
	disabled, heard bool
}

// addresses are nobody's: Stripe keeps those that it has.
type addresses struct{}

func (addresses) Addresses(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) {
	return nil, nil
}

// stand has identity disable somebody, or enable them again, at times of its own.
func (s *simStripe) stand(rng *rand.Rand) {
	s.lock.Lock()
	defer s.lock.Unlock()
	sub := s.subs[rng.IntN(len(s.subs))]
	if sub.leaves != nil || rng.IntN(4) > 0 {
		return
	}
	s.serial++ // two at the same time would be equally new
	w := &word{disabled: !sub.disabled(), Event: bus.Event{ID: uuid.New(), Subject: sub.user, Time: s.now.Add(time.Duration(s.serial) * time.Microsecond)}}
	if w.disabled {
		w.Type, w.Payload = "fledge.identity.v1.user.disabled", &eventsv1.UserDisabled{UserId: sub.user}
	} else {
		w.Type, w.Payload = "fledge.identity.v1.user.enabled", &eventsv1.UserEnabled{UserId: sub.user}
		sub.closed = false // and orders anew
	}
	sub.words = append(sub.words, w)
	s.note("people", fmt.Sprint("disabled: ", w.disabled))
}

func (s *sold) disabled() bool { return len(s.words) > 0 && s.words[len(s.words)-1].disabled }

// hear has billing follow what identity says, in any order, until it has answered, and at times again.
func (m *machine) hear(ctx context.Context, p *process, is program) {
	s := m.world
	s.lock.Lock()
	var waiting []*word
	for _, sub := range s.subs {
		for _, w := range sub.words {
			if !w.heard || p.told.dice%7 == 0 && !s.calm {
				waiting = append(waiting, w)
			}
		}
	}
	s.lock.Unlock()
	if len(waiting) == 0 {
		return
	}
	w := waiting[p.told.dice%len(waiting)]
	for _, consumer := range is.standing {
		if consumer.Type != w.Type {
			continue
		}
		err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error { return consumer.Handle(ctx, tx, w.Event) })
		if err == nil && !p.point("acknowledge").dead {
			s.lock.Lock()
			w.heard = true
			s.lock.Unlock()
		}
	}
}

// renewal has a subscription end with its period, or renew, with the mark that it was us.
func (c client) renewal(question, id string, stopped bool) error {
	over, err := ask(c, question, func(s *sold) (over, ok bool) {
		if ok = s.ID == id; !ok || s.Status == "canceled" {
			return true, ok
		}
		s.CancelAtPeriodEnd, s.Stopped = stopped, stopped
		s.history = append(s.history, s.Subscription)
		c.tell("customer.subscription.updated", id)
		return false, true
	})
	if err == nil && over {
		err = stripe.ErrRefused
	}
	return err
}

func (c client) StopRenewal(_ context.Context, s stripe.Subscription) error {
	return c.renewal("the end of a renewal", s.ID, true)
}

func (c client) ResumeRenewal(_ context.Context, s stripe.Subscription) error {
	return c.renewal("a renewal", s.ID, false)
}

// misstood says whether billing or Stripe goes on as if identity had said something else last.
func (s *simulation) misstood() error {
	for _, sub := range s.subs {
		if len(sub.words) == 0 || sub.leaves != nil {
			continue
		}
		var disabled bool
		if err := s.admin.QueryRow(s.Context(), "SELECT state = 'disabled' FROM account_states WHERE user_id = $1", sub.user).Scan(&disabled); err != nil {
			return err
		}
		switch living := sub.ID != "" && sub.Status != "canceled"; {
		case disabled != sub.disabled():
			return errors.New("an account is disabled that is not, or the other way round")
		case living && sub.disabled() && !sub.CancelAtPeriodEnd:
			return errors.New("the plan of a disabled account renews")
		case living && !sub.disabled() && sub.CancelAtPeriodEnd && sub.Stopped:
			return errors.New("the plan of an account that was enabled ends")
		}
	}
	return nil
}
