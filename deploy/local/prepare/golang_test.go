package prepare

import (
	"os"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

func TestWhatShipsIsBuiltAsTheImagesAre(t *testing.T) {
	content, err := os.ReadFile("../../images/go.Dockerfile")
	errtest.None(t, err)
	dockerfile := string(content)
	for _, flag := range imageFlags {
		flag, _, _ = strings.Cut(flag, "=shipped")
		if !strings.Contains(dockerfile, flag) {
			t.Errorf("go.Dockerfile builds without %q", flag)
		}
	}
}
