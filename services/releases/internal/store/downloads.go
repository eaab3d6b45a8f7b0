package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/downloads"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store/db"
)

var _ downloads.Sink = (*Store)(nil)

// maxVersions bounds what a chart is told of.
const maxVersions = 300

// AddDownloads adds to the counts in one atomic statement.
func (s *Store) AddDownloads(ctx context.Context, counts map[downloads.Download]int64) error {
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

// DownloadDays returns the totals of the days since the given midnight (UTC),
// oldest first; days without a download are left out.
func (s *Store) DownloadDays(ctx context.Context, since time.Time) ([]downloads.Day, error) {
	rows, err := s.q.DownloadDays(ctx, s.pool, since)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	days := make([]downloads.Day, len(rows))
	for i, row := range rows {
		days[i] = downloads.Day{Day: row.Day, Total: row.Total}
	}
	return days, nil
}

// DownloadVersions returns the totals of the newest 300 versions, newest first, and
// the total of all.
func (s *Store) DownloadVersions(ctx context.Context) (versions []downloads.Version, total int64, err error) {
	rows, err := s.q.DownloadVersions(ctx, s.pool)
	if err != nil {
		return nil, 0, pg.Fault(err, nil)
	}
	for _, row := range rows {
		versions = append(versions, downloads.Version{Version: release.Version(row.Version), Total: row.Total, Arm64: row.Arm64, X64: row.X64})
		total += row.Total
	}
	slices.SortFunc(versions, func(a, b downloads.Version) int {
		return cmp.Or(b.Version.Compare(a.Version), cmp.Compare(b.Version, a.Version))
	})
	return versions[:min(len(versions), maxVersions)], total, nil
}
