package release

import "fledge.dev/services/platform/rollout"

// Minimum is the oldest version that an app of the channel may go on with; empty when any may.
// It is that of the newest required release which every app of the channel and architecture is
// offered, so that whoever has to update can. The releases are in the order of Sort.
func Minimum(releases []Release, c Channel, arch Arch) Version {
	for _, r := range releases {
		if r.Required && r.reachesAll(c, arch) {
			return r.Version
		}
	}
	return ""
}

// CanBeRequired reports whether all apps on the release's channel are offered it, or a newer one.
func (r Release) CanBeRequired() bool { return r.reachesAll(r.Channel(), "") }

func (r Release) reachesAll(c Channel, arch Arch) bool {
	return r.OfferedOn(c) && reach(r.Rollout.Percentage) == rollout.Everybody && len(r.updateFiles(arch)) > 0
}
