package usage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fledge.dev/services/platform/days"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/releases/internal/release"
)

// MaxDays is how far back usage is read, and Kept how long counts are kept.
const (
	MaxDays = 90
	Kept    = 400
)

// named is how many versions are told apart.
const named = 20

// Share is a part of the update checks.
type Share struct {
	Name  string
	Total int64
}

// DayVersion is how many checks a version had on a day.
type DayVersion struct {
	Day time.Time
	Share
}

// Day is the checks of a day (UTC) by version, newest first.
type Day struct {
	Day      time.Time
	Versions []Share
}

// Usage is what was counted. Parts of all days have the most checks first.
type Usage struct {
	// Days are oldest first, every day present, the last one today.
	Days                     []Day
	Archs, Systems, Channels []Share
}

// Store keeps counts. Its errors are faults.
type Store interface {
	// AddUpdateChecks adds to a day's counts, all or none.
	AddUpdateChecks(ctx context.Context, day time.Time, counts map[Check]int64) error
	// Usage returns the checks since the given midnight by day and version, in no order, and
	// as parts of all days.
	Usage(ctx context.Context, since time.Time) (versions []DayVersion, parts Usage, err error)
	// ForgetUpdateChecks deletes the counts of the days before the given one.
	ForgetUpdateChecks(ctx context.Context, before time.Time) error
}

// Read returns the usage of the last so many days.
func Read(ctx context.Context, store Store, now time.Time, count int) (Usage, error) {
	span := days.Last(now, count)
	versions, usage, err := store.Usage(ctx, span.First())
	if err != nil {
		return Usage{}, err
	}
	for _, day := range span.All() {
		usage.Days = append(usage.Days, Day{Day: day})
	}
	kept := most(versions)
	for _, v := range versions {
		i, ok := span.Index(v.Day)
		if !ok {
			continue // a replica whose clock is ahead has counted for tomorrow
		}
		if !slices.Contains(kept, v.Name) {
			v.Name = Other
		}
		usage.Days[i].add(v.Share)
	}
	for _, day := range usage.Days {
		slices.SortFunc(day.Versions, byVersion)
	}
	return usage, nil
}

// most are the versions with most checks.
func most(versions []DayVersion) []string {
	totals := map[string]int64{}
	for _, v := range versions {
		totals[v.Name] += v.Total
	}
	names := make([]string, 0, len(totals))
	for name := range totals {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(totals[b], totals[a]), cmp.Compare(a, b)) })
	return names[:min(len(names), named)]
}

func (d *Day) add(s Share) {
	if i := slices.IndexFunc(d.Versions, func(known Share) bool { return known.Name == s.Name }); i >= 0 {
		d.Versions[i].Total += s.Total
		return
	}
	d.Versions = append(d.Versions, s)
}

// byVersion orders the newest first and Other last, which is no version.
func byVersion(a, b Share) int {
	return cmp.Or(release.Version(b.Name).Compare(release.Version(a.Name)), cmp.Compare(b.Name, a.Name))
}

// Task forgets once an hour what is older than Kept days.
func Task(store Store, now func() time.Time) periodic.Task {
	return periodic.Task{Name: "usage_cleanup", Every: time.Hour, Timeout: time.Minute, Exclusive: true, Run: func(ctx context.Context) error {
		return store.ForgetUpdateChecks(ctx, days.Last(now(), Kept).First())
	}}
}
