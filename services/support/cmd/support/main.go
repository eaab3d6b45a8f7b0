// Command support runs the support service.
package main

import (
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support"
)

func main() { service.Main("support", support.New, support.Commands()...) }
