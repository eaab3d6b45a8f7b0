package entry

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
	"time"
)

// ErrNoTime says that a text is no time; ErrAhead, that the time is yet to come. Their texts may be
// shown to people.
var (
	ErrNoTime = errors.New("The date cannot be read.")   //nolint:staticcheck // shown to people as it is
	ErrAhead  = errors.New("The date is in the future.") //nolint:staticcheck // shown to people as it is
)

// Layouts of dates and of times of day in the files of spreadsheets and other tools.
var (
	yearFirst  = []string{"2006-1-2", "2006/1/2", "2.1.2006", "Jan 2, 2006", "2 Jan 2006"}
	dayFirst   = []string{"2/1/2006", "2-1-2006"}
	monthFirst = []string{"1/2/2006", "1-2-2006"}
	hours      = []string{"", " 15:04", " 15:04:05", " 3:04 PM", " 3:04:05 PM"}
	zones      = []string{"", " -0700", " -07", " -07:00", "-07:00", " Z", "Z"}
)

// hoursFromGMT is such as "GMT+2". Other names of zones, such as CST, have several meanings.
var hoursFromGMT = regexp.MustCompile(` ?(?:GMT|UTC)(?:([+-])(\d)?(\d)(:\d\d)?)?$`)

// ParseJoined reads when somebody joined, at most now; without a zone it is UTC. With daysFirst 3/4/2026
// is 3 April, otherwise March 4.
func ParseJoined(text string, daysFirst bool, now time.Time) (time.Time, error) {
	joined, err := parseTime(strings.TrimSpace(text), daysFirst)
	switch {
	case err != nil:
		return time.Time{}, err
	case joined.After(now):
		return time.Time{}, ErrAhead
	default:
		return joined.UTC().Truncate(time.Microsecond), nil
	}
}

func parseTime(text string, daysFirst bool) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil && at.Year() >= 1970 {
		return at, nil
	}
	if zone := hoursFromGMT.FindStringSubmatch(text); zone != nil {
		text = strings.TrimSuffix(text, zone[0])
		if zone[1] != "" {
			text += " " + zone[1] + cmp.Or(zone[2], "0") + zone[3] + cmp.Or(zone[4], ":00")
		}
	}
	if len(text) > 10 && text[10] == 'T' {
		text = text[:10] + " " + text[11:]
	}
	dates := monthFirst
	if daysFirst {
		dates = dayFirst
	}
	for _, date := range append(dates[:len(dates):len(dates)], yearFirst...) {
		for _, hour := range hours {
			for _, zone := range zones {
				if at, err := time.Parse(date+hour+zone, text); err == nil && at.Year() >= 1970 {
					return at, nil
				}
			}
		}
	}
	return time.Time{}, ErrNoTime
}
