package csvfile

import (
	"cmp"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrNoTime says that a text is no time; ErrAhead, that the time is yet to come. Their texts may be
// shown to people.
var (
	ErrNoTime = errors.New("The date cannot be read.")   //nolint:staticcheck // shown to people as it is
	ErrAhead  = errors.New("The date is in the future.") //nolint:staticcheck // shown to people as it is
)

// mostAhead is how far a clock of the easternmost zone is ahead of UTC.
const mostAhead = 14 * time.Hour

// Layouts of dates and of times of day in the files of spreadsheets and other tools.
var (
	yearFirst  = []string{"2006-1-2", "2006/1/2", "2.1.2006", "2.1.06", "Jan 2 2006", "2 Jan 2006", "2-Jan-2006", "2-Jan-06"}
	dayFirst   = []string{"2/1/2006", "2-1-2006", "2/1/06"}
	monthFirst = []string{"1/2/2006", "1-2-2006", "1/2/06"}
	hours      = []string{"", " 15:04", " 15:04:05", " 3:04 PM", " 3:04:05 PM", " 3:04PM", " 3:04:05PM"}
	zones      = []string{"", " -0700", " -07", " -07:00", "-0700", "-07", "-07:00", " Z", "Z"}
)

// hoursFromGMT is such as "GMT+2". Other names of zones, such as CST, have several meanings.
var hoursFromGMT = regexp.MustCompile(` ?(?:GMT|UTC)(?:([+-])(\d)?(\d):?(\d\d)?)?$`)

var (
	// zoneAgain is the name of a zone after its hours, as in "+0100 (CET)" and "+0000 UTC".
	zoneAgain = regexp.MustCompile(`([+-]\d\d:?\d\d) (?:\([^)]*\)|UTC|GMT)$`)
	// unix are seconds or milliseconds.
	unix = regexp.MustCompile(`^(\d{10})(\d{3})?$`)
	// slashed is a date of which the first two numbers are day and month in either order.
	slashed = regexp.MustCompile(`^(\d{1,2})[/-](\d{1,2})[/-](?:\d{4}|\d{2})(?:\D|$)`)
	// serial is a spreadsheet's number of days of a cell that is not shown as a date.
	serial = regexp.MustCompile(`^\d{5}(?:[.,]\d+)?$`)
)

// serialBegin is day 0 of spreadsheets, for all days since March 1900.
var serialBegin = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

// The days that serials are taken for are those from 2000 to 2099.
const (
	firstSerial = 36526
	endOfSerial = 73051
)

// ParsePast reads a time of at most now, as tools write it. Without a zone it is UTC, or now if it is
// ahead of that by no more than a zone can be. A number such as 46012.5 is days as spreadsheets count them. With daysFirst 3/4/2026 is 3 April, otherwise March 4.
func ParsePast(text string, daysFirst bool, now time.Time) (time.Time, error) {
	at, zoned, err := parseTime(text, daysFirst)
	if err != nil {
		return time.Time{}, err
	}
	if at.After(now) {
		if zoned || at.After(now.Add(mostAhead)) {
			return time.Time{}, ErrAhead
		}
		at = now
	}
	return at.UTC().Truncate(time.Microsecond), nil
}

// IsTime tells whether ParsePast can read the text, be it past or not.
func IsTime(text string, daysFirst bool) bool {
	_, _, err := parseTime(text, daysFirst)
	return err == nil
}

// DayAndMonth are the first two numbers of a time with a date such as 3/4/2026, of which either may be the day.
func DayAndMonth(text string) (first, second int, ok bool) {
	numbers := slashed.FindStringSubmatch(withoutWeekday(inCapitals(text)))
	if numbers == nil {
		return 0, 0, false
	}
	first, _ = strconv.Atoi(numbers[1])
	second, _ = strconv.Atoi(numbers[2])
	return first, second, true
}

// inCapitals is a text so, with single spaces, which may be narrow and unbreakable.
func inCapitals(text string) string { return strings.ToUpper(strings.Join(strings.Fields(text), " ")) }

func parseTime(text string, daysFirst bool) (at time.Time, zoned bool, err error) {
	text = inCapitals(text)
	if count := unix.FindStringSubmatch(text); count != nil {
		seconds, _ := strconv.ParseInt(count[1], 10, 64)
		milliseconds, _ := strconv.ParseInt(cmp.Or(count[2], "0"), 10, 64)
		return time.Unix(seconds, milliseconds*int64(time.Millisecond)), true, nil
	}
	if serial.MatchString(text) {
		days, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		if err != nil || days < firstSerial || days >= endOfSerial {
			return time.Time{}, false, ErrNoTime
		}
		return serialBegin.Add(time.Duration(days * float64(24*time.Hour)).Round(time.Second)), false, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil && at.Year() >= 1970 {
		return at, true, nil
	}
	text = zoneAgain.ReplaceAllString(inEnglish(text), "$1")
	if zone := hoursFromGMT.FindStringSubmatch(text); zone != nil {
		text = strings.TrimSuffix(text, zone[0]) + " " + cmp.Or(zone[1], "+") + cmp.Or(zone[2], "0") + cmp.Or(zone[3], "0") + ":" + cmp.Or(zone[4], "00")
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
					return at, zone != "", nil
				}
			}
		}
	}
	return time.Time{}, false, ErrNoTime
}
