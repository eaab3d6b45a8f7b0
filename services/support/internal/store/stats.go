package store

import (
	"context"
	"time"

	"fledge.dev/services/platform/days"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

// StatsDays is how many days the statistics go back, today included.
const StatsDays = 30

// Stats are statistics of all tickets.
type Stats struct {
	// Waiting counts tickets that are open or in progress.
	Waiting map[ticket.Priority]int64
	// Days are the last StatsDays UTC days, oldest first, every one of them.
	Days []Day
	// Backlog is what is open or in progress.
	Backlog []Backlog
	// FirstAnswer and ToResolve are medians of the last StatsDays; negative without any.
	FirstAnswer, ToResolve time.Duration
	span                   days.Span
}

// Backlog counts the open tickets of a category by their age: up to a day, up to a week, older.
type Backlog struct {
	Category         ticket.Category
	Day, Week, Older int64
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
	span := days.Last(s.now(), StatsDays)
	stats := Stats{Waiting: map[ticket.Priority]int64{}, span: span}
	for _, day := range span.All() {
		stats.Days = append(stats.Days, Day{Day: day})
	}
	waiting, err := s.q.WaitingByPriority(ctx, s.pool)
	if err != nil {
		return Stats{}, pg.Fault(err, nil)
	}
	for _, w := range waiting {
		stats.Waiting[ticket.Priority(w.Priority)] = w.Waiting
	}
	created, err := s.q.CreatedByDay(ctx, s.pool, span.First())
	if err != nil {
		return Stats{}, pg.Fault(err, nil)
	}
	for _, c := range created {
		stats.add(c.Day, func(d *Day) { d.Created = c.Tickets })
	}
	resolved, err := s.q.ResolvedByDay(ctx, s.pool, span.First())
	if err != nil {
		return Stats{}, pg.Fault(err, nil)
	}
	for _, r := range resolved {
		stats.add(r.Day, func(d *Day) { d.Resolved = r.Tickets })
	}
	if err := s.times(ctx, &stats); err != nil {
		return Stats{}, pg.Fault(err, nil)
	}
	return stats, nil
}

// times adds how old the open tickets are, and how long answers took.
func (s *Store) times(ctx context.Context, stats *Stats) error {
	now := s.now()
	backlog, err := s.q.Backlog(ctx, s.pool, db.BacklogParams{Day: now.AddDate(0, 0, -1), Week: now.AddDate(0, 0, -7)})
	if err != nil {
		return err
	}
	for _, b := range backlog {
		stats.Backlog = append(stats.Backlog, Backlog{ticket.Category(b.Category), b.Day, b.Week, b.Older})
	}
	answer, err := s.q.FirstAnswer(ctx, s.pool, stats.span.First())
	if err != nil {
		return err
	}
	resolve, err := s.q.TimeToResolve(ctx, s.pool, stats.span.First())
	stats.FirstAnswer, stats.ToResolve = time.Duration(answer)*time.Second, time.Duration(resolve)*time.Second
	return err
}

// add leaves out days of a clock that is ahead of ours.
func (s Stats) add(day time.Time, set func(*Day)) {
	if i, ok := s.span.Index(day); ok {
		set(&s.Days[i])
	}
}
