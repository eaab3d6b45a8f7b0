package store

import (
	"context"
	"time"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/ticket"
)

// StatsDays is how many days the figures go back, today included.
const StatsDays = 30

// Stats are figures about all tickets.
type Stats struct {
	// Waiting counts tickets that are open or in progress.
	Waiting map[ticket.Priority]int64
	// Days are the last StatsDays UTC days, oldest first, every one of them.
	Days []Day
}

// Day is what happened on one UTC day.
type Day struct {
	Day               time.Time
	Created, Resolved int64
}

// Stats counts.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	first := s.now().Truncate(24*time.Hour).AddDate(0, 0, 1-StatsDays)
	stats := Stats{Waiting: map[ticket.Priority]int64{}, Days: make([]Day, StatsDays)}
	for i := range stats.Days {
		stats.Days[i].Day = first.AddDate(0, 0, i)
	}
	waiting, err := s.q.WaitingByPriority(ctx, s.pool)
	if err != nil {
		return Stats{}, pg.Fault(err, nil)
	}
	for _, w := range waiting {
		stats.Waiting[ticket.Priority(w.Priority)] = w.Waiting
	}
	created, err := s.q.CreatedByDay(ctx, s.pool, first)
	if err != nil {
		return Stats{}, pg.Fault(err, nil)
	}
	for _, c := range created {
		stats.add(c.Day, func(d *Day) { d.Created = c.Tickets })
	}
	resolved, err := s.q.ResolvedByDay(ctx, s.pool, first)
	if err != nil {
		return Stats{}, pg.Fault(err, nil)
	}
	for _, r := range resolved {
		stats.add(r.Day, func(d *Day) { d.Resolved = r.Tickets })
	}
	return stats, nil
}

// add leaves out days of a clock that is ahead of ours.
func (s Stats) add(day time.Time, set func(*Day)) {
	if i := int(day.Sub(s.Days[0].Day).Hours() / 24); i >= 0 && i < len(s.Days) {
		set(&s.Days[i])
	}
}
