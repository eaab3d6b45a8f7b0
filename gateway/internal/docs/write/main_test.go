package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"fledge.dev/services/platform/errtest"
)

func TestWhatTheGatewayShowsIsInStep(t *testing.T) {
	folder := t.TempDir()
	errtest.None(t, write("../../../openapi.yaml", folder))
	for _, name := range []string{"openapi.json", "page.html"} {
		shown, err := os.ReadFile(filepath.Join("..", name))
		errtest.None(t, err)
		written, err := os.ReadFile(filepath.Join(folder, name))
		errtest.None(t, err)
		if !bytes.Equal(shown, written) {
			t.Errorf("internal/docs/%s is not what openapi.yaml says: `make generate`", name)
		}
	}
}
