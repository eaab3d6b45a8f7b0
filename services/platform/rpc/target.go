package rpc

import (
	"net"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

// listed resolves a target that is a list of addresses, for replicas without a common
// DNS name. Any other target is left to grpc-go.
func listed(target string) (string, []grpc.DialOption) {
	addresses := strings.Split(target, ",")
	if len(addresses) == 1 {
		return target, nil
	}
	var state resolver.State
	for _, address := range addresses {
		address = strings.TrimSpace(address)
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			host = address
		}
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address, ServerName: host})
	}
	const scheme = "listed"
	r := manual.NewBuilderWithScheme(scheme)
	r.InitialState(state)
	return scheme + ":///" + addresses[0], []grpc.DialOption{grpc.WithResolvers(r)}
}
