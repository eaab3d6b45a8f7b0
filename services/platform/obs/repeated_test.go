package obs_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fledge.dev/services/platform/obs"
)

func TestAFailureThatRepeatsIsLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines strings.Builder
		failing := obs.Repeated{Log: slog.New(slog.NewTextHandler(&lines, nil))}
		for range 121 {
			failing.Warn(t.Context(), "it fails", "error", "away")
			<-time.After(time.Second)
		}
		if n := strings.Count(lines.String(), `msg="it fails" error=away`); n != 3 {
			t.Errorf("%d lines in two minutes:\n%s", n, &lines)
		}
		failing.Over()
		failing.Warn(t.Context(), "again")
		if !strings.Contains(lines.String(), "msg=again") {
			t.Errorf("a new failure is not logged:\n%s", &lines)
		}
	})
}
