// Package services lists the services. Only deploy and tests know them all: they themselves,
// and the gateway, meet in proto.
package services

import (
	"fledge.dev/services/billing"
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/spec"
	"fledge.dev/services/releases"
	"fledge.dev/services/support"
	"fledge.dev/services/waitlist"
)

// All are the services. Certificates, databases, NATS users, programs and tests follow from it.
func All() []spec.Service {
	return []spec.Service{
		identity.Spec(),
		billing.Spec(),
		waitlist.Spec(),
		support.Spec(),
		releases.Spec(),
	}
}

// Names are the names of all.
func Names() []string {
	var names []string
	for _, service := range All() {
		names = append(names, service.Name)
	}
	return names
}
