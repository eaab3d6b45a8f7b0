package release

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/google/uuid"
)

// StagingID places an installed app in every rollout. The zero value is an app
// that has not said who it is.
type StagingID struct {
	id    uuid.UUID
	given bool
}

// ParseStagingID reads electron-updater's x-user-staging-id. Anything but a UUID in
// its canonical form is as good as none.
func ParseStagingID(s string) StagingID {
	id, err := uuid.Parse(s)
	return StagingID{id: id, given: err == nil && len(s) == len(id.String())}
}

// Everybody is the reach of a complete rollout, apps without an id included.
const Everybody int64 = 1 << 32

// reach is how many of the places that an app can have, counted from 0, a rollout of
// so many per cent includes. The formula is electron-updater's own
// (AppUpdater.isStagingMatch), so that an app has the same place whoever decides: the
// last four bytes as a part of one.
func reach(percentage int) int64 {
	switch {
	case percentage >= 100:
		return Everybody
	case percentage <= 0:
		return 0
	}
	return int64(sort.Search(int(Everybody), func(place int) bool {
		return float64(place)/math.MaxUint32 >= float64(percentage)/100
	}))
}

// within reports whether the app is in such a reach.
func (s StagingID) within(reach int64) bool {
	return reach == Everybody || s.given && int64(binary.BigEndian.Uint32(s.id[12:])) < reach
}
