package stack

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/services"
)

const natsClusterSize = 3

// instances are the names under which a service runs: its own and, for more than
// one, "billing-2" and so on.
func (o Options) instances(service string) []string {
	names := []string{service}
	for n := 2; n <= o.Replicas[service]; n++ {
		names = append(names, service+"-"+strconv.Itoa(n))
	}
	return names
}

// ReplicasOfAll are n of each service and of the gateway.
func ReplicasOfAll(n int) map[string]int {
	replicas := map[string]int{gatewayName: n}
	for _, service := range services.Names() {
		replicas[service] = n
	}
	return replicas
}

// Instances are the names of all services' and of the gateway's replicas, as
// [Stack.Program] takes them.
func (o Options) Instances() (names []string) {
	for _, service := range append(services.Names(), gatewayName) {
		names = append(names, o.instances(service)...)
	}
	return names
}

func (o Options) validateReplicas() error {
	for service, n := range o.Replicas {
		if n > 1 && o.Form != Processes {
			return fmt.Errorf("stack: %d replicas of %s: only what is a process of its own has replicas", n, service)
		}
	}
	if n := o.NATSServers; n != 0 && n != 1 && (n != natsClusterSize || o.Form != Processes) {
		return fmt.Errorf("stack: %d NATS servers: one, or %d as processes of their own", n, natsClusterSize)
	}
	return nil
}

// natsInstances are the names of the NATS servers: "nats", and in a cluster "nats-2" and
// so on.
func (o Options) natsInstances() []string {
	names := []string{natsName}
	for n := 2; n <= o.NATSServers; n++ {
		names = append(names, natsName+"-"+strconv.Itoa(n))
	}
	return names
}

// serviceOf is the service that an instance is one of.
func serviceOf(instance string) string {
	service, _, _ := strings.Cut(instance, "-")
	return service
}

// target is where a caller finds a service: all of its instances.
func (s *Stack) target(caller, service string) string {
	var addresses []string
	for _, name := range s.opts.instances(service) {
		addresses = append(addresses, s.via(caller, name, s.plan.grpc[name]))
	}
	return strings.Join(addresses, ",")
}

// natsURL is where a caller finds NATS: all of its servers.
func (s *Stack) natsURL(caller string) string {
	var urls []string
	for _, name := range s.opts.natsInstances() {
		urls = append(urls, "tls://"+s.via(caller, name, ports.Loopback(s.plan.nats[name].client)))
	}
	return strings.Join(urls, ",")
}

// databaseFile holds the URL of an instance's database.
func (s *Stack) databaseFile(instance string) (string, error) {
	owner := serviceOf(instance)
	if !s.opts.Linked {
		return s.databases.files[owner], nil
	}
	path := s.opts.State.Path("secrets", "linked-database-url-"+instance)
	linked, err := s.databaseVia(instance)
	if err != nil {
		return "", err
	}
	return path, renameio.WriteFile(path, []byte(linked+"\n"), 0o600)
}

// databaseVia is the URL of an instance's database as that one uses it.
func (s *Stack) databaseVia(instance string) (string, error) {
	u, err := url.Parse(s.databases.urls[serviceOf(instance)])
	if err != nil {
		return "", err
	}
	u.Host = s.via(instance, postgresName, u.Host)
	return u.String(), nil
}
