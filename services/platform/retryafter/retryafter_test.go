package retryafter_test

import (
	"net/http"
	"testing"
	"time"

	"fledge.dev/services/platform/retryafter"
)

func TestHowLongAServerAsksToBeLeftAlone(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, tt := range []struct {
		after, date string
		want        time.Duration
		ok          bool
	}{
		{"", "", 0, false},
		{"soon", "", 0, false},
		{"-1", "", 0, false},
		{"0", "", 0, true},
		{"30", "", 30 * time.Second, true},
		{"86400", "", time.Hour, true},
		{"99999999999999999999", "", 0, false},
		{"Wed, 04 Mar 2026 05:08:07 GMT", "", 2 * time.Minute, true},
		{"Wed, 04 Mar 2026 05:08:07 GMT", "Wed, 04 Mar 2026 05:08:00 GMT", 7 * time.Second, true},
		{"Wed, 04 Mar 2026 05:08:07 GMT", "today", 2 * time.Minute, true},
		{"Wed, 04 Mar 2026 05:00:00 GMT", "", 0, true},
		{"Thu, 05 Mar 2026 05:08:07 GMT", "", time.Hour, true},
	} {
		answer := &http.Response{Header: http.Header{"Retry-After": {tt.after}, "Date": {tt.date}}}
		if got, ok := retryafter.Of(answer, now, time.Hour); got != tt.want || ok != tt.ok {
			t.Errorf("%q at %q: %s, %t, want %s", tt.after, tt.date, got, ok, tt.want)
		}
	}
}
