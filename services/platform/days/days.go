// Package days counts UTC days, for statistics over the last weeks.
package days

import "time"

const day = 24 * time.Hour

// Span is a row of UTC days without a gap.
type Span struct {
	first time.Time
	count int
}

// Last is the count days that end with the day of now.
func Last(now time.Time, count int) Span {
	return Span{now.UTC().Truncate(day).AddDate(0, 0, 1-count), count}
}

// First is the midnight at which the oldest day begins.
func (s Span) First() time.Time { return s.first }

// All are the midnights, oldest first.
func (s Span) All() []time.Time {
	all := make([]time.Time, s.count)
	for i := range all {
		all[i] = s.first.AddDate(0, 0, i)
	}
	return all
}

// Index is the place of t's day in All; false for a day outside, such as one that
// a clock ahead of ours has begun already.
func (s Span) Index(t time.Time) (int, bool) {
	since := t.Sub(s.first)
	i := int(since / day)
	return i, since >= 0 && i < s.count
}
