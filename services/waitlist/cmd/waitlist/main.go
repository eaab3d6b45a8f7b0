// Command waitlist runs the waitlist service on its own.
package main

import (
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist"
)

func main() { service.Main("waitlist", waitlist.New, waitlist.Commands()...) }
