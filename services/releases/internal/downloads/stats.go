package downloads

import (
	"context"
	"time"

	"fledge.dev/services/platform/days"
	"fledge.dev/services/releases/internal/release"
)

// Day is how many downloads started on a day (UTC).
type Day struct {
	Day   time.Time
	Total int64
}

// Version is how many downloads of a version started. Total has universal builds
// besides the two architectures.
type Version struct {
	Version           release.Version
	Total, Arm64, X64 int64
}

// Stats is what was counted.
type Stats struct {
	// Total is of all time.
	Total int64
	// Days are oldest first, every day present, the last one today.
	Days []Day
	// Versions are newest first, of all time.
	Versions []Version
}

// Source is where counts are read. Their errors are faults.
type Source interface {
	// DownloadDays returns the days since the given midnight, oldest first; days
	// without a download are left out.
	DownloadDays(ctx context.Context, since time.Time) ([]Day, error)
	// DownloadVersions returns the newest versions, newest first, and the total
	// of all.
	DownloadVersions(ctx context.Context) ([]Version, int64, error)
}

// Read returns the stats of the last so many days.
func Read(ctx context.Context, source Source, now time.Time, count int) (Stats, error) {
	span := days.Last(now, count)
	counted, err := source.DownloadDays(ctx, span.First())
	if err != nil {
		return Stats{}, err
	}
	var stats Stats
	for _, day := range span.All() {
		stats.Days = append(stats.Days, Day{Day: day})
	}
	for _, d := range counted {
		// A replica whose clock is ahead may have counted for tomorrow.
		if i, ok := span.Index(d.Day); ok {
			stats.Days[i].Total = d.Total
		}
	}
	stats.Versions, stats.Total, err = source.DownloadVersions(ctx)
	return stats, err
}
