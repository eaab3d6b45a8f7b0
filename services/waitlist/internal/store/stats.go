package store

import (
	"context"
	"time"

	"fledge.dev/services/platform/days"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
)

// StatsDays is how many days Stats looks back, today included.
const StatsDays = 30

// Stats are the statistics of the list.
type Stats struct {
	// ByStatus counts the entries; a state that none is in is missing.
	ByStatus map[entry.Status]int64
	// Invitations are those who were approved on the days below and still are, or whose invitation ended
	// unused: how many, how many of them have opened the link in their email, and how many have signed in.
	Invitations db.InvitationsRow
	// Days are UTC days, the oldest first, today last, none missing.
	Days []DayStats
	span days.Span
}

// DayStats is what one day brought.
type DayStats struct {
	Day time.Time
	// SignUps are new addresses from whatever source.
	SignUps int64
	// Approvals are entries approved on the day that still are, or whose invitation ended unused.
	Approvals int64
}

// Stats counts the list. Each count is an operation of its own, with the deadline of one.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	span := days.Last(s.clock.Now(), StatsDays)
	states, err := counted(ctx, s, func(ctx context.Context) ([]db.CountByStatusRow, error) { return s.q.CountByStatus(ctx, s.pool) })
	if err != nil {
		return Stats{}, err
	}
	signups, err := counted(ctx, s, func(ctx context.Context) ([]db.SignupsByDayRow, error) {
		return s.q.SignupsByDay(ctx, s.pool, span.First())
	})
	if err != nil {
		return Stats{}, err
	}
	approvals, err := counted(ctx, s, func(ctx context.Context) ([]db.ApprovalsByDayRow, error) {
		return s.q.ApprovalsByDay(ctx, s.pool, span.First())
	})
	if err != nil {
		return Stats{}, err
	}
	invitations, err := counted(ctx, s, func(ctx context.Context) ([]db.InvitationsRow, error) {
		row, err := s.q.Invitations(ctx, s.pool, span.First())
		return []db.InvitationsRow{row}, err
	})
	if err != nil {
		return Stats{}, err
	}
	stats := Stats{ByStatus: map[entry.Status]int64{}, Invitations: invitations[0], span: span}
	for _, row := range states {
		stats.ByStatus[entry.Status(row.Status)] = row.Entries
	}
	for _, day := range span.All() {
		stats.Days = append(stats.Days, DayStats{Day: day})
	}
	for _, row := range signups {
		if day := stats.on(row.Day); day != nil {
			day.SignUps = row.SignUps
		}
	}
	for _, row := range approvals {
		if day := stats.on(row.Day); day != nil {
			day.Approvals = row.Approvals
		}
	}
	return stats, nil
}

func counted[T any](ctx context.Context, s *Store, count func(context.Context) ([]T, error)) ([]T, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	rows, err := count(ctx)
	return rows, pg.Fault(err, nil)
}

// on is the day; nil for one that a clock ahead of ours has begun already.
func (s Stats) on(day time.Time) *DayStats {
	i, ok := s.span.Index(day)
	if !ok {
		return nil
	}
	return &s.Days[i]
}
