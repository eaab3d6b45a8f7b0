// Package usage says which versions of the app are in use, by what installed apps tell when
// they look for an update. Checks are counted, not apps: nothing tells one from another.
package usage

import (
	"slices"
	"strconv"
	"strings"

	"fledge.dev/services/releases/internal/release"
)

// Other stands for what an app did not tell, or what is not known.
const Other = "other"

// newestMacOS bounds what counts as a system's major version.
const newestMacOS = 40

// Said is what an app tells of itself, unchecked.
type Said struct {
	Channel release.Channel
	Version string
	Arch    string
	// MacOS is the system's version, such as 14.5.
	MacOS string
}

// Check is what one count is about. All values are of small sets, so that nobody can fill the
// table by what they send.
type Check struct {
	Channel release.Channel
	// Version is one that GitHub lists, Arch is arm64 or x64, and MacOS a major version; or
	// each is Other.
	Version, Arch, MacOS string
}

// Known maps what an app said to values that are counted; anything unknown becomes Other.
func Known(said Said, releases []release.Release) Check {
	check := Check{Channel: said.Channel, Version: Other, Arch: Other, MacOS: Other}
	if v, ok := release.ParseTag(said.Version); ok && slices.ContainsFunc(releases, func(r release.Release) bool { return r.Version == v }) {
		check.Version = string(v)
	}
	if arch := release.Arch(said.Arch); arch == release.Arm64 || arch == release.X64 {
		check.Arch = said.Arch
	}
	major, _, _ := strings.Cut(said.MacOS, ".")
	if n, err := strconv.Atoi(major); err == nil && n >= release.OldestMacOS && n <= newestMacOS {
		check.MacOS = strconv.Itoa(n)
	}
	return check
}
