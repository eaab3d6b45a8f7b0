// Package invitation knows how long the links of approval emails work, and what an installation may say about
// that. Whoever has the token in one reads the email of the address that was approved.
package invitation

import (
	"time"
)

// Lifetime is how long a token is valid after its email was sent.
const Lifetime = 90 * day

// The bounds of what an installation may say about an invitation: a link has to work that long.
const (
	// LongestTerm is the longest time until an unused invitation ends.
	LongestTerm = Lifetime - 2*day
	// LatestReminder is the longest time until its person is reminded: reminders go out for twice as long.
	LatestReminder = 30 * day
)

const day = 24 * time.Hour

// lastDay is how long after its beginning in UTC a day lasts in the zone where it ends last, UTC-12.
const lastDay = day + 12*time.Hour

// End returns when an invitation of that time and term ends: at the end of a day, wherever its person is. If its email is
// late, the end is later by as much.
func End(sent time.Time, term time.Duration) time.Time {
	return sent.UTC().Add(term).Truncate(day).Add(lastDay)
}

// LastDay names the day at whose end the invitation ends, such as "24 December 2026".
func LastDay(end time.Time) string { return end.UTC().Add(-lastDay).Format("2 January 2006") }
