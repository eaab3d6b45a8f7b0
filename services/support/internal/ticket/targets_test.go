package ticket_test

import (
	"strconv"
	"testing"
	"time"

	"fledge.dev/services/support/internal/ticket"
)

func TestTargetsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"": "", "  ": "", "high=8h": "high=8h0m0s", "low=120h urgent=90m": "urgent=1h30m0s low=120h0m0s",
	} {
		var targets ticket.Targets
		if err := targets.UnmarshalText([]byte(typed)); err != nil {
			t.Errorf("%q: %v", typed, err)
		}
		if got, err := targets.MarshalText(); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v", typed, got, err)
		}
	}
	for _, typed := range []string{"high", "high=", "high=8", "=8h", "highest=8h", "high=8h high=9h", "high=1s", "high=-8h", "high=3000h", "high=8h,low=9h"} {
		if err := new(ticket.Targets).UnmarshalText([]byte(typed)); err == nil {
			t.Errorf("%q is taken", typed)
		}
	}
}

func TestAnAnswerIsInTimeOrLate(t *testing.T) {
	t.Parallel()
	targets := ticket.Targets{ticket.High: time.Hour}
	created := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		priority ticket.Priority
		answered time.Time
		want     string
	}{
		"in time":          {ticket.High, created.Add(time.Hour), "true"},
		"late":             {ticket.High, created.Add(time.Hour + 1), "false"},
		"not answered":     {ticket.High, time.Time{}, "none"},
		"without a target": {ticket.Low, created.Add(time.Minute), "none"},
	} {
		got := "none"
		if inTime := targets.InTime(ticket.Ticket{Content: ticket.Content{Priority: tt.priority}, CreatedAt: created, StaffFields: ticket.StaffFields{AnsweredAt: tt.answered}}); inTime != nil {
			got = strconv.FormatBool(*inTime)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
