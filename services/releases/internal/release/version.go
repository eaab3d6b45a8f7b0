package release

import (
	"strings"

	"golang.org/x/mod/semver"
)

// maxVersionLength bounds what the database and URLs have to carry.
const maxVersionLength = 64

// Version is a semantic version (https://semver.org) without a leading "v", all
// three numbers present: "1.10.0", "1.2.0-beta.1".
type Version string

// ParseTag returns the version that a git tag names. The tag may start with one
// "v"; ok is false for anything that is not a whole semantic version, such as
// "latest", "v1.2" or "nightly-1.0.0".
func ParseTag(tag string) (v Version, ok bool) {
	v = Version(strings.TrimPrefix(tag, "v"))
	// The semver package also takes "v1" and "v1.2", which its canonical form
	// then completes.
	canonical := semver.Canonical(v.tag())
	if canonical == "" || len(v) > maxVersionLength || canonical+semver.Build(v.tag()) != v.tag() {
		return "", false
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
