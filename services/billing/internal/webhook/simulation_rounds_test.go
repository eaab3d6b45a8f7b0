package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"fledge.dev/services/billing/internal/ledger"
)

// deliver hands an event to billing, as Stripe does: some again after they were taken.
func (m *machine) deliver(ctx context.Context, p *process, is program) {
	s := m.world
	s.lock.Lock()
	var waiting []*simEvent
	for _, ev := range s.events {
		if !ev.acked || p.told.dice%7 == 0 && !s.calm {
			waiting = append(waiting, ev)
		}
	}
	s.lock.Unlock()
	if len(waiting) == 0 {
		return
	}
	ev := waiting[p.told.dice%len(waiting)]
	at := m.clock.Now().Unix()
	body := fmt.Sprintf(`{"id":%q,"object":"event","type":%q,"livemode":false,"created":1,"data":{"object":{"id":%q}}}`, ev.id, ev.kind, ev.object)
	mac := hmac.New(sha256.New, []byte(simSecret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at, body)
	err := is.inbox.Receive(ctx, []byte(body), fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil))))
	if err == nil && !p.point("answer").dead {
		s.lock.Lock()
		defer s.lock.Unlock()
		if !ev.acked {
			ev.acked = true
			s.acked = append(s.acked, ev.id)
		}
	}
}

// work takes up a job that nobody is at.
func (m *machine) work(ctx context.Context, p *process, is program) {
	s := m.world
	job, event, ok := s.take(ctx, p)
	if !ok {
		return
	}
	err := is.worker.Work(ctx, &river.Job[eventArgs]{JobRow: &rivertype.JobRow{ID: job, Attempt: 1, MaxAttempts: maxAttempts}, Args: eventArgs{ID: event}})
	if err == nil && !p.point("complete the job").dead {
		if _, err := m.admin.Exec(ctx, "DELETE FROM jobs.river_job WHERE id = $1", job); err != nil {
			m.Error(err)
		}
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.taken, job)
}

func (s *simulation) take(ctx context.Context, p *process) (job int64, event string, ok bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	rows, err := s.admin.Query(ctx, "SELECT id, args->>'id' FROM jobs.river_job ORDER BY id")
	if err != nil {
		s.Error(err)
		return 0, "", false
	}
	defer rows.Close()
	var jobs []int64
	var events []string
	for rows.Next() {
		if err := rows.Scan(&job, &event); err != nil {
			s.Error(err)
		}
		if s.taken[job] == nil {
			jobs, events = append(jobs, job), append(events, event)
		}
	}
	if len(jobs) == 0 {
		return 0, "", false
	}
	i := p.told.dice % len(jobs)
	s.taken[jobs[i]] = p
	return jobs[i], events[i], true
}

// spend spends, and repeats what was not answered with the same key.
func (m *machine) spend(ctx context.Context, p *process, is program) {
	s := m.world
	var spend *simSpend
	for _, old := range s.spends {
		if !old.answered {
			spend = old
		}
	}
	if spend == nil {
		if s.calm || len(s.spends) > 20 {
			return
		}
		spend = &simSpend{user: s.users[p.told.dice%len(s.users)], key: fmt.Sprint("spend-", len(s.spends))}
		s.spends = append(s.spends, spend)
	}
	_, err := is.ledger.Consume(ctx, ledger.Spend{UserID: spend.user, Key: spend.key, Amount: 700, Description: "Screen"})
	if errors.Is(err, ledger.ErrInsufficient) || err == nil && !p.told.dead {
		spend.answered = true
	}
}
