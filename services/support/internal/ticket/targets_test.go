package ticket_test

import (
	"testing"

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
