package jobs

import (
	"time"

	"github.com/riverqueue/river"

	"fledge.dev/services/platform/clock"
)

// Time has River reckon by the service's clock. The database decides what is due, and by the
// machine's own clock a replica a day ahead would have every retry wait for a day. River
// offers it among its settings for tests.
func Time(c clock.Clock) river.TestConfig { return river.TestConfig{Time: reckoning{c}} }

type reckoning struct{ clock.Clock }

// NowOrNil leaves the time of statements to the database.
func (reckoning) NowOrNil() *time.Time { return nil }
