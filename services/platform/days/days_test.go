package days_test

import (
	"testing"
	"time"

	"fledge.dev/services/platform/days"
)

func TestTheLastDays(t *testing.T) {
	// Already the first of March in UTC.
	now := time.Date(2028, 2, 29, 23, 30, 0, 0, time.FixedZone("", -3600))
	span := days.Last(now, 3)
	want := []time.Time{
		time.Date(2028, 2, 28, 0, 0, 0, 0, time.UTC), time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(2028, 3, 1, 0, 0, 0, 0, time.UTC),
	}
	all := span.All()
	if len(all) != len(want) || !span.First().Equal(want[0]) {
		t.Fatalf("%v from %v", all, span.First())
	}
	for i, day := range want {
		if !all[i].Equal(day) {
			t.Errorf("day %d is %v, want %v", i, all[i], day)
		}
		for _, moment := range []time.Time{day, day.Add(24*time.Hour - 1)} {
			if at, ok := span.Index(moment); !ok || at != i {
				t.Errorf("%v is day %d, %v", moment, at, ok)
			}
		}
	}
	for _, outside := range []time.Time{want[0].Add(-1), want[2].AddDate(0, 0, 1)} {
		if at, ok := span.Index(outside); ok {
			t.Errorf("%v is day %d", outside, at)
		}
	}
}
