package release

import (
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

const (
	// maxVersionLength bounds what the database and URLs have to carry.
	maxVersionLength = 64
	// maxNumber is JavaScript's largest whole number: electron-updater fails at a version with a
	// larger one, and with it at every update check.
	maxNumber = 1<<53 - 1
)

// Version is a semantic version (https://semver.org) without a leading "v", all
// three numbers present: "1.10.0", "1.2.0-beta.1".
type Version string

// ParseTag returns the version that a git tag names. The tag may start with one
// "v"; ok is false for anything that is not a whole semantic version, such as
// "latest", "v1.2" or "nightly-1.0.0", and for one with a number above 2^53-1, such as
// "v1.0.20260101120000123".
func ParseTag(tag string) (v Version, ok bool) {
	v = Version(strings.TrimPrefix(tag, "v"))
	// The semver package also takes "v1" and "v1.2", which its canonical form
	// then completes.
	canonical := semver.Canonical(v.tag())
	if canonical == "" || len(v) > maxVersionLength || canonical+semver.Build(v.tag()) != v.tag() {
		return "", false
	}
	core, _, _ := strings.Cut(strings.TrimPrefix(canonical, "v"), "-")
	for number := range strings.SplitSeq(core, ".") {
		if n, err := strconv.ParseUint(number, 10, 64); err != nil || n > maxNumber {
			return "", false
		}
	}
	return v, true
}

// Compare is negative when v comes before w in semver precedence, so that
// 1.9.0 < 1.10.0-beta < 1.10.0. Build metadata does not count.
func (v Version) Compare(w Version) int { return semver.Compare(v.tag(), w.tag()) }

// IsPrerelease reports whether the version has a pre-release part.
func (v Version) IsPrerelease() bool { return v.prerelease() != "" }

// prerelease is "beta.1" for 1.2.0-beta.1, and empty for a version without such a part.
func (v Version) prerelease() string { return strings.TrimPrefix(semver.Prerelease(v.tag()), "-") }

func (v Version) tag() string { return "v" + string(v) }
