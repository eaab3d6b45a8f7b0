// Command sbom writes bills of materials in SPDX 2.3: of Go programs from what the
// linker has recorded in them, of the site from its lock file.
//
//	sbom DIR PROGRAM…            DIR/<program>.spdx.json
//	sbom DIR package-lock.json   DIR/web.spdx.json, without what only builds it
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom DIR PROGRAM|package-lock.json…")
		os.Exit(2)
	}
	for _, source := range os.Args[2:] {
		file, err := write(os.Args[1], source)
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		fmt.Println(file)
	}
}

func write(dir, source string) (string, error) {
	name, parts := filepath.Base(source), goParts
	if name == "package-lock.json" {
		name, parts = "web", npmParts
	}
	packages, err := parts(source)
	if err != nil {
		return "", fmt.Errorf("%s: %w", source, err)
	}
	content, err := document(name, packages, time.Now())
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(dir, name+".spdx.json")
	return file, os.WriteFile(file, content, 0o644)
}
