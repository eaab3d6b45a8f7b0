package store_test

import (
	"fmt"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/usage"
)

func TestUpdateChecksAddUpUntilTheyAreForgotten(t *testing.T) {
	s, _ := open(t)
	day := noon.Truncate(24 * time.Hour)
	one := usage.Check{Channel: release.Stable, Version: "1.0.0", Arch: "arm64", MacOS: "14"}
	two := usage.Check{Channel: release.Beta, Version: "2.0.0", Arch: "x64", MacOS: "14"}
	for _, add := range []struct {
		day    time.Time
		counts map[usage.Check]int64
	}{{day, map[usage.Check]int64{one: 2, two: 1}}, {day, map[usage.Check]int64{one: 3}}, {day.AddDate(0, 0, 1), map[usage.Check]int64{one: 1}}} {
		errtest.None(t, s.AddUpdateChecks(t.Context(), add.day, add.counts))
	}
	read := func(since time.Time) string {
		versions, parts, err := s.Usage(t.Context(), since)
		var total int64
		for _, v := range versions {
			total += v.Total
		}
		return fmt.Sprintf("%d in %d rows, %v %v %v, %v", total, len(versions), parts.Archs, parts.Systems, parts.Channels, err)
	}
	if got, want := read(day), "7 in 3 rows, [{arm64 6} {x64 1}] [{14 7}] [{stable 6} {beta 1}], <nil>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	tomorrow := "1 in 1 rows, [{arm64 1}] [{14 1}] [{stable 1}], <nil>"
	if got := read(day.AddDate(0, 0, 1)); got != tomorrow {
		t.Errorf("since then %s", got)
	}
	errtest.None(t, s.ForgetUpdateChecks(t.Context(), day.AddDate(0, 0, 1)))
	if got := read(day); got != tomorrow {
		t.Errorf("afterwards %s", got)
	}
}

// TestADayHasRoomForSoManyKindsOfChecks: what comes after counts all the same.
func TestADayHasRoomForSoManyKindsOfChecks(t *testing.T) {
	s, _ := open(t)
	day := noon.Truncate(24 * time.Hour)
	kind := func(i int) usage.Check {
		return usage.Check{Channel: release.Stable, Version: fmt.Sprintf("1.%d.0", i), Arch: "arm64", MacOS: "14"}
	}
	counts := map[usage.Check]int64{}
	for i := range 2010 {
		counts[kind(i)] = 1
	}
	counts[kind(0)] = 5 // the most frequent find room first
	for range 2 {
		errtest.None(t, s.AddUpdateChecks(t.Context(), day, counts))
	}
	versions, _, err := s.Usage(t.Context(), day)
	totals := map[string]int64{}
	for _, v := range versions {
		totals[v.Name] = v.Total
	}
	if err != nil || len(totals) != 2001 || totals["other"] != 20 || totals["1.0.0"] != 10 {
		t.Errorf("%d versions, %d other, %d of the first, %v", len(totals), totals["other"], totals["1.0.0"], err)
	}
}
