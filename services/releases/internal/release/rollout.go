package release

import (
	"math"
	"sort"

	"fledge.dev/services/platform/rollout"
)

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
