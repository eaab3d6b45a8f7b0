// Command standins runs the stand-ins (fakes) for Google and Apple, GitHub, Stripe and
// the mail server in a test cluster. --help lists its settings.
package main

import (
	"fledge.dev/deploy/standins"
	"fledge.dev/services/platform/service"
)

func main() { service.Main("standins", standins.New) }
