package release

import (
	"encoding/binary"
	"math"

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

// within reports whether a rollout of so many per cent reaches the app. The formula
// is electron-updater's own (AppUpdater.isStagingMatch), so that an app has the
// same place whoever decides: the last four bytes as a part of one. A complete
// rollout reaches everybody, an app without an id included, and an empty one
// nobody.
func (s StagingID) within(percentage int) bool {
	switch {
	case percentage >= 100:
		return true
	case !s.given || percentage <= 0:
		return false
	}
	place := float64(binary.BigEndian.Uint32(s.id[12:])) / math.MaxUint32
	return place < float64(percentage)/100
}
