// Command write generates the two forms in which the gateway serves openapi.yaml: JSON, and
// an HTML page without scripts or external resources. The gateway itself needs no OpenAPI
// parser then:
//
//	go run ./gateway/internal/docs/write gateway/openapi.yaml gateway/internal/docs
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: write openapi.yaml folder")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func write(description, folder string) error {
	doc, err := openapi3.NewLoader().LoadFromFile(description)
	if err != nil {
		return err
	}
	compact, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	var document bytes.Buffer
	if err := json.Indent(&document, compact, "", " "); err != nil {
		return err
	}
	document.WriteByte('\n')
	page, err := render(doc)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"openapi.json": document.Bytes(), "page.html": page} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil { //nolint:gosec // source, for all to read
			return err
		}
	}
	return nil
}
