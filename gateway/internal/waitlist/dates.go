package waitlist

import (
	"regexp"
	"strconv"
)

// The orders of day and month, as a request names them.
const (
	dayFirst   = "day_first"
	monthFirst = "month_first"
)

// dates are how those are read in which the order of day and month is not plain.
type dates struct {
	// dayFirst is whether 3/4/2026 is 3 April, and said whether the request has said so.
	dayFirst, said bool
	// found is whether there are such dates, and told whether one makes sense in one order alone.
	found, told bool
}

// slashed is the begin of a date of which the first two numbers are day and month in either order.
var slashed = regexp.MustCompile(`^(?:\pL[\pL-]*\.?,? +)?(\d{1,2})[/-](\d{1,2})[/-](?:\d{4}|\d{2})(?:\D|$)`)

// toldBy looks at all of the dates. Unless it was said, the day is first where more of them make sense that way.
func (d dates) toldBy(records func(yield func(cell string) bool)) dates {
	sense := 0
	for cell := range records {
		numbers := slashed.FindStringSubmatch(cell)
		if numbers == nil {
			continue
		}
		d.found = true
		first, _ := strconv.Atoi(numbers[1])
		second, _ := strconv.Atoi(numbers[2])
		switch {
		case first > 12 && second <= 12:
			sense++
		case second > 12 && first <= 12:
			sense--
		default:
			continue
		}
		d.told = true
	}
	if !d.said {
		d.dayFirst = sense > 0
	}
	return d
}

// read is how they are read, "" if there are none.
func (d dates) read() string {
	switch {
	case !d.found:
		return ""
	case d.dayFirst:
		return dayFirst
	}
	return monthFirst
}
