// Command readme writes the chart's README.md, see package readme.
package main

import (
	"fmt"
	"os"

	"fledge.dev/helm/charttest/readme"
)

func main() {
	content, err := readme.Render("../fledge")
	if err == nil {
		err = os.WriteFile("../fledge/README.md", content, 0o644)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}
