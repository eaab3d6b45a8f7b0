package usage_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/usage"
)

func TestOnlyWhatIsKnownIsToldApart(t *testing.T) {
	releases := []release.Release{{Version: "1.2.3"}, {Version: "2.0.0-beta.1"}}
	for said, want := range map[usage.Said]usage.Check{
		{Version: "1.2.3", Arch: "arm64", MacOS: "14.5"}:     {Version: "1.2.3", Arch: "arm64", MacOS: "14"},
		{Version: "v2.0.0-beta.1", Arch: "x64", MacOS: "26"}: {Version: "2.0.0-beta.1", Arch: "x64", MacOS: "26"},
		{}: {Version: "other", Arch: "other", MacOS: "other"},
		{Version: "1.2.4", Arch: "universal", MacOS: "11.7"}:     {Version: "other", Arch: "other", MacOS: "other"},
		{Version: "1.2", Arch: "ARM64", MacOS: "41"}:             {Version: "other", Arch: "other", MacOS: "other"},
		{Version: "latest", Arch: "other", MacOS: "14x.5"}:       {Version: "other", Arch: "other", MacOS: "other"},
		{Version: strings.Repeat("1", 99), MacOS: "014.1.1.1.1"}: {Version: "other", Arch: "other", MacOS: "14"},
	} {
		if got := usage.Known(said, releases); got != want {
			t.Errorf("%+v: %+v, want %+v", said, got, want)
		}
	}
}

// counts is a Store of what was counted.
type counts []usage.DayVersion

func (c counts) Usage(context.Context, time.Time) ([]usage.DayVersion, usage.Usage, error) {
	return c, usage.Usage{}, nil
}
func (counts) AddUpdateChecks(context.Context, time.Time, map[usage.Check]int64) error { return nil }
func (counts) ForgetUpdateChecks(context.Context, time.Time) error                     { return nil }

func TestEveryDayIsThereAndTheRestIsOneVersion(t *testing.T) {
	today := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	on := func(days int, version string, total int64) usage.DayVersion {
		return usage.DayVersion{Day: today.AddDate(0, 0, days), Share: usage.Share{Name: version, Total: total}}
	}
	c := counts{on(1, "9.0.0", 99), on(-2, "1.9.0", 5), on(-2, "other", 50), on(-2, "1.10.0", 5), on(0, "1.10.0", 7)}
	got, err := usage.Read(t.Context(), c, today.Add(13*time.Hour), 3)
	want := []usage.Day{
		{today.AddDate(0, 0, -2), []usage.Share{{"1.10.0", 5}, {"1.9.0", 5}, {"other", 50}}}, {today.AddDate(0, 0, -1), nil}, {today, []usage.Share{{"1.10.0", 7}}},
	}
	if err != nil || !reflect.DeepEqual(got.Days, want) {
		t.Errorf("%+v, %v", got.Days, err)
	}
	c = nil
	for i := range int64(40) {
		c = append(c, on(0, fmt.Sprintf("1.%d.0", i), 100+i), on(0, "other", 1))
	}
	got, err = usage.Read(t.Context(), c, today, 1)
	if versions := got.Days[0].Versions; err != nil || len(versions) != 21 || versions[0].Name != "1.39.0" || versions[20] != (usage.Share{Name: "other", Total: 20*100 + 19*20/2 + 40}) {
		t.Errorf("%v, %v", versions, err)
	}
}
