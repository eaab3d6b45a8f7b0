// Command billing runs the billing service.
package main

import (
	"fledge.dev/services/billing"
	"fledge.dev/services/platform/service"
)

func main() { service.Main("billing", billing.New, billing.Commands()...) }
