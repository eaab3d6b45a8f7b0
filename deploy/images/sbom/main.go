// Command sbom writes bills of materials of Go programs in SPDX 2.3, from what the linker
// has recorded in them. `npm sbom` writes that of the site; cyclonedx-gomod knows CycloneDX only.
//
//	sbom DIR PROGRAM…            DIR/<program>.spdx.json
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom DIR PROGRAM…")
		os.Exit(2)
	}
	for _, program := range os.Args[2:] {
		file, err := write(os.Args[1], program)
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		fmt.Println(file)
	}
}

func write(dir, program string) (string, error) {
	name := filepath.Base(program)
	packages, err := goParts(program)
	if err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
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
