// Package retryafter reads how long a server that others run asks to be left alone.
package retryafter

import (
	"net/http"
	"strconv"
	"time"
)

// Of reads an answer's Retry-After, seconds or a date (RFC 9110, section 10.2.3), up to the most. A date that is over is 0;
// ok is false for an answer without the header. A date counts from the answer's Date, or from now where it has none.
func Of(answer *http.Response, now time.Time, most time.Duration) (wait time.Duration, ok bool) {
	text := answer.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(most, time.Duration(seconds)*time.Second), true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(most, max(0, at.Sub(SentAt(answer, now)))), true
}

// SentAt is the server's time, to which its other times relate; now where the answer has no Date.
func SentAt(answer *http.Response, now time.Time) time.Time {
	if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		return at
	}
	return now
}
