package release

import (
	"math"
	"sort"
	"time"

	"fledge.dev/services/platform/rollout"
)

// Rollout is the part of the installed apps that an available release is offered to.
type Rollout struct {
	// Percentage is 0 to 100.
	Percentage int
	// Next is what it rises to at NextAt by itself; both are zero when it stays.
	Next   int
	NextAt time.Time
}

// Rises reports whether the percentage rises by itself.
func (r Rollout) Rises() bool { return r.Next > 0 }

// FirstStep is the percentage that a rollout which rises by itself begins with.
const FirstStep = 1

// stepTime is how long such a rollout stays at each of its steps but the last.
const stepTime = 24 * time.Hour

var steps = [...]int{FirstStep, 5, 25, 100}

// RiseTime is how long a rollout rises until it stays.
const RiseTime = time.Duration(len(steps)-1) * stepTime

// RolloutAt is the rollout at a time: of the percentage, or risen since a time if that is set. One
// that rises is at its first step as long as the release is not available, and rises from when it is.
func RolloutAt(percentage int, since *time.Time, available bool, now time.Time) Rollout {
	if since == nil {
		return Rollout{Percentage: percentage}
	}
	if !available {
		return Rollout{Percentage: steps[0], Next: steps[1], NextAt: now.Add(stepTime).UTC()}
	}
	i := int(max(0, now.Sub(*since)) / stepTime)
	if i >= len(steps)-1 {
		return Rollout{Percentage: steps[len(steps)-1]}
	}
	return Rollout{Percentage: steps[i], Next: steps[i+1], NextAt: since.Add(time.Duration(i+1) * stepTime).UTC()}
}

// reach is how many of the places that an app can have, counted from 0, a rollout of
// so many per cent includes. The formula is electron-updater's own
// (AppUpdater.isStagingMatch), so that an app has the same place whoever decides: the
// last four bytes as a part of one.
func reach(percentage int) int64 {
	switch {
	case percentage >= 100:
		return rollout.Everybody
	case percentage <= 0:
		return 0
	}
	return int64(sort.Search(int(rollout.Everybody), func(place int) bool {
		return float64(place)/math.MaxUint32 >= float64(percentage)/100
	}))
}
