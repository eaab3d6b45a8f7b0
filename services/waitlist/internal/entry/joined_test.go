package entry_test

import (
	"errors"
	"testing"
	"time"

	"fledge.dev/services/waitlist/internal/entry"
)

func TestParseJoinedReadsWhatOtherToolsWrite(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-11-20T09:30:00.123456Z": "2026-11-20T09:30:00.123456Z", // ours
		"2026-11-20T09:30:00+02:00":   "2026-11-20T07:30:00Z",
		"2026-11-20T09:30:00":         "2026-11-20T09:30:00Z",
		"2026-11-20 09:30:00":         "2026-11-20T09:30:00Z", // Mailchimp, Typeform
		"2026-11-20":                  "2026-11-20T00:00:00Z",
		"2026/11/20 9:30:05 PM GMT+2": "2026-11-20T19:30:05Z", // Google Forms
		"20.11.2026 09:30":            "2026-11-20T09:30:00Z", // a German spreadsheet
		"4/3/2026 9:30:05":            "2026-04-03T09:30:05Z",
		"2026-11-20 09:30:00 UTC":     "2026-11-20T09:30:00Z",
		"Nov 20, 2026":                "2026-11-20T00:00:00Z",
		"20 Nov 2026 09:30":           "2026-11-20T09:30:00Z",
		" 2026-11-20 09:30:00 +0100 ": "2026-11-20T08:30:00Z",
	} {
		got, err := entry.ParseJoined(text, false, now)
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %s, %v; want %s", text, got.Format(time.RFC3339Nano), err, want)
		}
	}
	if got, err := entry.ParseJoined("4/3/2026", true, now); err != nil || got.Month() != time.March {
		t.Errorf("with the day first: %s, %v", got, err)
	}
	for text, want := range map[string]error{
		"yesterday": entry.ErrNoTime, "13/13/2026": entry.ErrNoTime, "1/1/0001": entry.ErrNoTime, "2026-02-30": entry.ErrNoTime, "46012": entry.ErrNoTime, "2026-11-20 09:30 CST": entry.ErrNoTime,
		"2026-11-22": entry.ErrAhead,
	} {
		if _, err := entry.ParseJoined(text, false, now); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}
