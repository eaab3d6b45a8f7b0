package release

import (
	"path"
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

// Kinds of builds by file extension.
const (
	diskImage = ".dmg"
	archive   = ".zip"
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

func (a Asset) extension() string { return strings.ToLower(path.Ext(a.Name)) }
func (a Asset) isBuild() bool     { return a.extension() == diskImage || a.extension() == archive }
