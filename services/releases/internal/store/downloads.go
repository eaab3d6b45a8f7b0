package store

import (
	"context"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/store/db"
	"fledge.dev/services/releases/internal/tally"
)

var _ tally.Sink = (*Store)(nil)

// AddDownloads adds to the counts in one atomic statement.
func (s *Store) AddDownloads(ctx context.Context, counts map[tally.Download]int64) error {
	var p db.AddDownloadsParams
	for d, n := range counts {
		p.Days = append(p.Days, d.Day)
		p.Versions = append(p.Versions, string(d.Version))
		p.Filenames = append(p.Filenames, d.Filename)
		p.Archs = append(p.Archs, string(d.Arch))
		p.Counts = append(p.Counts, n)
	}
	return pg.Fault(s.q.AddDownloads(ctx, s.pool, p), nil)
}
