package stack

import (
	"fmt"
	"strconv"
	"strings"
)

// instances are the names under which a service runs: its own and, for more than
// one, "billing-2" and so on.
func (o Options) instances(service string) []string {
	names := []string{service}
	for n := 2; n <= o.Replicas[service]; n++ {
		names = append(names, service+"-"+strconv.Itoa(n))
	}
	return names
}

// allInstances are those of all services and of the gateway.
func (o Options) allInstances() (names []string) {
	for _, service := range append(Services(), gatewayName) {
		names = append(names, o.instances(service)...)
	}
	return names
}

func (o Options) validateReplicas() error {
	for service, n := range o.Replicas {
		if n > 1 && (o.Form != Processes || service == gatewayName) {
			return fmt.Errorf("stack: %d replicas of %s: only services that are processes of their own have replicas", n, service)
		}
	}
	return nil
}

// serviceOf is the service that an instance is one of.
func serviceOf(instance string) string {
	service, _, _ := strings.Cut(instance, "-")
	return service
}

// target is where callers find a service: all of its instances.
func (s *Stack) target(service string) string {
	var addresses []string
	for _, name := range s.opts.instances(service) {
		addresses = append(addresses, s.plan.grpc[name])
	}
	return strings.Join(addresses, ",")
}
