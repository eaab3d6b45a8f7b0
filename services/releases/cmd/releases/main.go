// Command releases runs the releases service.
package main

import (
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases"
)

func main() { service.Main("releases", releases.New, releases.Commands()...) }
