// Package rollout says which installed apps a rollout reaches. The service applies it to
// one app, the gateway to what ListUpdates told it.
package rollout

import (
	"encoding/binary"

	"fledge.dev/services/platform/text"
)

// Everybody is the reach of a complete rollout, apps without a staging ID included.
const Everybody int64 = 1 << 32

// Reaches reports whether an app is among the first reach places, 0 to Everybody. Its place
// is the last four bytes of its staging ID, electron-updater's x-user-staging-id. Anything
// but a UUID in its canonical form is as good as none.
func Reaches(reach int64, stagingID string) bool {
	if reach == Everybody {
		return true
	}
	place, ok := Place(stagingID)
	return ok && place < reach
}

// Place is where an app is in every rollout, from 0 to below Everybody. ok is false for one
// without a staging ID.
func Place(stagingID string) (place int64, ok bool) {
	id, ok := text.UUID(stagingID)
	if !ok {
		return 0, false
	}
	return int64(binary.BigEndian.Uint32(id[12:])), true
}
