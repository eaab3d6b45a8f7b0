package prepare

import (
	"os"
	"strings"
	"testing"
)

func TestWhatShipsIsBuiltAsTheImagesAre(t *testing.T) {
	content, err := os.ReadFile("../../images/go.Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	dockerfile := string(content)
	for _, flag := range imageFlags {
		flag, _, _ = strings.Cut(flag, "=shipped")
		if !strings.Contains(dockerfile, flag) {
			t.Errorf("go.Dockerfile builds without %q", flag)
		}
	}
}
