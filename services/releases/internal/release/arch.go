package release

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Arch is what kind of Mac a build runs on.
type Arch string

// The architectures of builds. Universal builds run on both; Other is an asset
// that is no build, such as an update feed.
const (
	Arm64     Arch = "arm64"
	X64       Arch = "x64"
	Universal Arch = "universal"
	Other     Arch = "other"
)

// Kinds of builds by file extension, in lower case.
const (
	diskImage = ".dmg"
	archive   = ".zip" // what updates install
)

// buildExtensions are those of all builds; other files of a release are none.
var buildExtensions = []string{diskImage, archive}

// foreign are words in the names of files that no Mac installs, whatever their extension: other
// systems' builds and what debuggers need.
const foreign = `(win(dows)?|linux|dsyms?|symbols?|debug)([^a-z]|$)`

// Regular expressions of PostgreSQL for the names, in lower case, of the files that are builds, and
// of those that updates install.
const (
	Builds   = `^(?!(.*[^a-z])?` + foreign + `).*(\` + diskImage + `|\` + archive + `)$`
	Archives = `^(?!(.*[^a-z])?` + foreign + `).*\` + archive + `$`
)

var (
	notForMac = regexp.MustCompile(`(^|[^a-z])` + foreign)
	forMac    = regexp.MustCompile(`(^|[^a-z])(mac(os)?|darwin|osx)([^a-z]|$)`)
)

// Arch reads the architecture from the file's name. A build that names none is
// for Intel: electron-builder leaves the suffix out for x64 alone. Substrings
// count, because a build for the wrong Mac costs more than a missing button.
func (a Asset) Arch() Arch {
	name := strings.ToLower(a.Name)
	switch {
	case !a.isBuild():
		return Other
	case strings.Contains(name, "universal"):
		return Universal
	case strings.Contains(name, "arm64"), strings.Contains(name, "aarch64"):
		return Arm64
	default:
		return X64
	}
}

// namesIntel tells "x64" in the name from no architecture at all.
func (a Asset) namesIntel() bool {
	name := strings.ToLower(a.Name)
	for _, mark := range []string{"x64", "x86_64", "x86-64", "amd64", "intel"} {
		if strings.Contains(name, mark) {
			return true
		}
	}
	return false
}

// NeedsChecksum reports whether updates need the file's SHA-512 and it is not known.
func (a Asset) NeedsChecksum() bool {
	return a.isBuild() && a.extension() == archive && a.Size > 0 && a.SHA512 == ""
}

func (a Asset) extension() string { return strings.ToLower(path.Ext(a.Name)) }

func (a Asset) isBuild() bool {
	return slices.Contains(buildExtensions, a.extension()) && !notForMac.MatchString(strings.ToLower(a.Name))
}

// namesMac tells a file that is for Macs by its name from one that does not say.
func (a Asset) namesMac() bool { return forMac.MatchString(strings.ToLower(a.Name)) }

// Supersedes reports whether some Mac would now get a build that was not decided on, where it would have got
// another one: of those that were decided on or, if none of these is for it, of those that are known.
func (r Release) Supersedes(decided, known Release) bool {
	for _, arch := range []Arch{Arm64, X64} {
		for _, extension := range buildExtensions {
			has, ok := r.build(arch, extension)
			if _, seen := decided.Asset(has.Name); !ok || seen {
				continue
			}
			had, ok := decided.build(arch, extension)
			if !ok {
				had, ok = known.build(arch, extension)
			}
			if ok && had.Name != has.Name {
				return true
			}
		}
	}
	return false
}

// build picks the build for arch among the files with the extension. One that names the Mac beats
// one that names no system; of these, one that names the architecture beats a universal one, which
// beats one that names none; then the latest upload wins.
func (r Release) build(arch Arch, extension string) (best Asset, ok bool) {
	fits := func(a Asset) int {
		switch {
		case a.extension() != extension:
			return 0
		case a.Arch() == Universal:
			return 2
		case a.Arch() != arch:
			return 0
		case arch == X64 && !a.namesIntel():
			return 1
		default:
			return 3
		}
	}
	top := 0
	for _, a := range r.Assets {
		rank := fits(a)
		if rank > 0 && a.namesMac() {
			rank += 3 // above whatever names no system
		}
		if rank > 0 && rank >= top {
			best, top, ok = a, rank, true
		}
	}
	return best, ok
}
