package rollout_test

import (
	"strings"
	"testing"

	"fledge.dev/services/platform/rollout"
)

func TestAPlaceIsTheEndOfACanonicalUUID(t *testing.T) {
	const id = "6ba7b810-9dad-51d1-80b4-00c000000007"
	for stagingID, reached := range map[string]bool{
		id: true, strings.ToUpper(id): true, "00000000-0000-0000-0000-000000000000": true,
		"6ba7b810-9dad-51d1-80b4-00c000000008": false,
		"":                                     false, "7": false, strings.ReplaceAll(id, "-", ""): false, "{" + id + "}": false, "urn:uuid:" + id: false,
		"6ba7b8109-dad-51d1-80b4-00c000000007": false, "6ba7b810-9dad-51d1-80b4-00c00000000g": false, id + "00": false, id + "-": false,
		"6ba7b810--9dad-51d1-80b4-00c00000007": false,
	} {
		if got := rollout.Reaches(8, stagingID); got != reached {
			t.Errorf("%q: %t, want %t", stagingID, got, reached)
		}
		if rollout.Reaches(0, stagingID) || !rollout.Reaches(rollout.Everybody, stagingID) {
			t.Errorf("%q is in no rollout, or is left out of a complete one", stagingID)
		}
	}
}
