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

// StatsWeeks is how many weeks, from Monday to Sunday, they go back where they are by week, this one included.
const StatsWeeks = 12

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
	// FirstAnswerWeeks and ToResolveWeeks are the last StatsWeeks, oldest first, without those that have nothing.
	FirstAnswerWeeks, ToResolveWeeks []Week
	span                             days.Span
}

// Week is how long the tickets of a week took: half of them at most Half, nine of ten at most Most.
type Week struct {
	// Monday is when it begins, in UTC.
	Monday time.Time
	// Category is empty for all of them together.
	Category   ticket.Category
	Tickets    int64
	Half, Most time.Duration
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
	if err != nil {
		return err
	}
	stats.FirstAnswer, stats.ToResolve = time.Duration(answer)*time.Second, time.Duration(resolve)*time.Second
	return s.weeks(ctx, stats)
}

// weeks adds how long answers took in each week.
func (s *Store) weeks(ctx context.Context, stats *Stats) error {
	today := days.Last(s.now(), 1).First()
	sinceMonday := (int(today.Weekday()) + 6) % 7
	since := today.AddDate(0, 0, -sinceMonday-7*(StatsWeeks-1))
	answers, err := s.q.FirstAnswerByWeek(ctx, s.pool, since)
	if err != nil {
		return err
	}
	for _, a := range answers {
		stats.FirstAnswerWeeks = append(stats.FirstAnswerWeeks, weekOf(db.TimeToResolveByWeekRow(a)))
	}
	resolved, err := s.q.TimeToResolveByWeek(ctx, s.pool, since)
	for _, r := range resolved {
		stats.ToResolveWeeks = append(stats.ToResolveWeeks, weekOf(r))
	}
	return err
}

func weekOf(r db.TimeToResolveByWeekRow) Week {
	return Week{r.Week, ticket.Category(r.Category), r.Tickets, time.Duration(r.P50) * time.Second, time.Duration(r.P90) * time.Second}
}

// add leaves out days of a clock that is ahead of ours.
func (s Stats) add(day time.Time, set func(*Day)) {
	if i, ok := s.span.Index(day); ok {
		set(&s.Days[i])
	}
}
