package waitlist

import times "fledge.dev/services/platform/csvfile"

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

// toldBy looks at all of the dates. Unless it was said, the day is first where more of them make sense that way.
func (d dates) toldBy(records func(yield func(cell string) bool)) dates {
	sense := 0
	for cell := range records {
		first, second, ok := times.DayAndMonth(cell)
		if !ok {
			continue
		}
		d.found = true
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
