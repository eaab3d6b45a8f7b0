package account

import "time"

// addMonths adds months of the calendar. A day that the month does not have
// becomes its last.
func addMonths(t int64, months int) int64 {
	at := time.Unix(t, 0).UTC()
	first := time.Date(at.Year(), at.Month()+time.Month(months), 1, at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(at.Day(), last)-1).Unix()
}

// periodEnd is when the nth period since the anchor ends. It is counted from the
// anchor and not from the period before, so that the 31st stays the 31st.
func periodEnd(anchor int64, n int, interval string) int64 {
	switch interval {
	case "day":
		return anchor + int64(n)*24*60*60
	case "week":
		return anchor + int64(n)*7*24*60*60
	case "year":
		return addMonths(anchor, 12*n)
	}
	return addMonths(anchor, n)
}
