// Command support runs the support service.
package main

import (
	"fledge.dev/services/support"
	"fledge.dev/services/platform/service"
)

func main() { service.Main("support", support.New) }
