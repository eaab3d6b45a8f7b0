// Command identity runs the identity service on its own.
package main

import (
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/service"
)

func main() { service.Main("identity", identity.New, identity.Commands()...) }
