package store

import (
	"context"
	"time"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/store/db"
	"fledge.dev/services/releases/internal/usage"
)

var _ usage.Store = (*Store)(nil)

// maxChecks is how many rows a day may have besides those for what does not fit.
const maxChecks = 2000

// AddUpdateChecks adds to a day's counts in one atomic statement.
func (s *Store) AddUpdateChecks(ctx context.Context, day time.Time, counts map[usage.Check]int64) error {
	p := db.AddUpdateChecksParams{Day: day, Most: maxChecks}
	for c, n := range counts {
		p.Channels = append(p.Channels, string(c.Channel))
		p.Versions = append(p.Versions, c.Version)
		p.Archs = append(p.Archs, c.Arch)
		p.Macos = append(p.Macos, c.MacOS)
		p.Counts = append(p.Counts, n)
	}
	return pg.Fault(s.q.AddUpdateChecks(ctx, s.pool, p), nil)
}

// Usage returns the checks since the given midnight by day and version, and as parts of all
// days, most checks first.
func (s *Store) Usage(ctx context.Context, since time.Time) (versions []usage.DayVersion, parts usage.Usage, err error) {
	rows, err := s.q.UsageDays(ctx, s.pool, since)
	if err != nil {
		return nil, usage.Usage{}, pg.Fault(err, nil)
	}
	for _, row := range rows {
		versions = append(versions, usage.DayVersion{Day: row.Day, Share: usage.Share{Name: row.Version, Total: row.Total}})
	}
	counted, err := s.q.UsageParts(ctx, s.pool, since)
	if err != nil {
		return nil, usage.Usage{}, pg.Fault(err, nil)
	}
	of := map[string]*[]usage.Share{"arch": &parts.Archs, "macos": &parts.Systems, "channel": &parts.Channels}
	for _, row := range counted {
		shares := of[row.Kind]
		*shares = append(*shares, usage.Share{Name: row.Name, Total: row.Total})
	}
	return versions, parts, nil
}

// ForgetUpdateChecks deletes the counts of the days before the given one.
func (s *Store) ForgetUpdateChecks(ctx context.Context, before time.Time) error {
	return pg.Fault(s.q.ForgetUpdateChecks(ctx, s.pool, before), nil)
}
