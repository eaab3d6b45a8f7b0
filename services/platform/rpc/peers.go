package rpc

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"fledge.dev/services/platform/fault"
)

// gateway is the only caller that acts for people, so it may call every method.
const gateway = "gateway"

// Callers names the services that may call a method besides the gateway, by the DNS
// names in their certificates. Only the gateway may call a method without a row.
//
// The table adds to the policy: a caller needs its certificate and the person's token
// or, for an internal method, the internal token. Without TLS callers have no names, and
// only the tokens count.
type Callers map[string][]string

// Everyone stands in Callers for every holder of a certificate of the product's authority.
const Everyone = "*"

var errForeignPeer = fault.New(fault.Forbidden, "peer_forbidden", "You are not allowed to do this.")

// Open lets further services call methods. Each of the methods must be served.
func (s *Server) Open(callers Callers) {
	for method, names := range callers {
		if !s.guard.Covers(method) {
			s.fail(fmt.Errorf("rpc: callers of %s, which has no row in the policy", method))
		}
		s.callers[method] = append(s.callers[method], names...)
	}
}

// admitPeer refuses callers whose certificate is not of a service that may call the
// method.
func (s *Server) admitPeer(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	names, named := peerNames(ctx)
	allowed := s.callers[info.FullMethod]
	if named && !slices.Contains(allowed, Everyone) && !slices.ContainsFunc(names, func(name string) bool {
		return name == gateway || slices.Contains(allowed, name)
	}) {
		return nil, errForeignPeer.Wrap(fmt.Errorf("the certificate is of %q, who may not call %s", names, info.FullMethod))
	}
	return next(ctx, req)
}

// peerNames returns the names in the caller's certificate; named is false without TLS.
func peerNames(ctx context.Context) (names []string, named bool) {
	from, ok := peer.FromContext(ctx)
	if !ok {
		return nil, false
	}
	secured, ok := from.AuthInfo.(credentials.TLSInfo)
	if !ok {
		return nil, false
	}
	if certificates := secured.State.PeerCertificates; len(certificates) > 0 {
		names = certificates[0].DNSNames
	}
	return names, true
}
