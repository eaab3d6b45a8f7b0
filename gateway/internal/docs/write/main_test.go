package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestWhatTheGatewayShowsIsInStep(t *testing.T) {
	folder := t.TempDir()
	if err := write("../../../openapi.yaml", folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"openapi.json", "page.html"} {
		shown, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(shown, written) {
			t.Errorf("internal/docs/%s is not what openapi.yaml says: `make generate`", name)
		}
	}
}
