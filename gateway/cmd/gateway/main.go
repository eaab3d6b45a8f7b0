// Command gateway serves the product's HTTP interface.
package main

import (
	"fledge.dev/gateway"
	"fledge.dev/services/platform/service"
)

func main() { service.Main("gateway", gateway.New) }
