package api_test

import (
	"testing"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enumtest"
	"fledge.dev/services/releases/internal/release"
)

// TestEnums: the other architectures are offered to nobody.
func TestEnums(t *testing.T) {
	enumtest.Same[releasesv1.Arch](t, release.Arm64, release.X64)
	enumtest.Same[releasesv1.UpdateProblem](t, release.NoArchive, release.MisleadingNames, release.NoChecksum)
}
