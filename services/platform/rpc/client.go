package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver/dns"
	"google.golang.org/grpc/status"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

// By default grpc-go looks a name up at most every 30 s; when all pods are replaced in
// less time, connections are refused for half a minute.
func init() { dns.SetMinResolutionInterval(time.Second) }

// ClientConfig says how to reach other services.
type ClientConfig struct {
	// InternalToken is sent to methods that serve services, not people; of a list, the first.
	InternalToken config.Secret
	TLS           TLSConfig
	// Service is the service to call, whose name the server's certificate must have. Only
	// TLS needs it.
	Service string
	// MaxInFlight caps the calls in progress on the connection; more fail at once with
	// fault.Unavailable. 0 is no cap.
	MaxInFlight int
	// Runtime is the caller's: its tracer records calls and passes their trace on, and its
	// log and metrics report on certificates. Without it there are no traces and no TLS.
	Runtime *service.Runtime
}

// Dial returns a lazy connection to target: "host:port", several of them with commas
// between, or "dns:///name:port". Calls are spread over all addresses that answer. Dial
// never waits for the other side; until it is there, calls fail with Unavailable.
func Dial(target string, cfg ClientConfig) (*grpc.ClientConn, error) {
	creds, err := cfg.TLS.credentials(cfg.Service, cfg.Runtime)
	if err != nil {
		return nil, err
	}
	retry := backoff.DefaultConfig
	retry.BaseDelay, retry.MaxDelay = 100*time.Millisecond, 3*time.Second
	target, options := listed(target)
	if cfg.Runtime != nil {
		options = append(options, traceClient(cfg.Runtime.Tracer)...)
	}
	slots := newSlots(cfg.MaxInFlight)
	conn, err := grpc.NewClient(target, append(options,
		grpc.WithTransportCredentials(creds),
		// A proxy of the environment leads out of the cluster.
		grpc.WithNoProxy(),
		grpc.WithDefaultServiceConfig(serviceConfig()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: retry, MinConnectTimeout: time.Second}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 2 * time.Second, PermitWithoutStream: true}),
		grpc.WithChainUnaryInterceptor(slots.call, forward(cfg.InternalToken), rebuildFaults),
	)...)
	if err != nil {
		return nil, fmt.Errorf("rpc: %w", err)
	}
	return conn, nil
}

func forward(internal config.Secret) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if _, ok := ctx.Deadline(); !ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, defaultDeadline)
			defer cancel()
		}
		var pairs []string
		if id := obs.RequestID(ctx); id != "" {
			pairs = append(pairs, metadataRequestID, id)
		}
		if p, ok := authn.FromContext(ctx); ok {
			pairs = append(pairs, "authorization", "Bearer "+p.Bearer)
		}
		if internal != "" {
			pairs = append(pairs, metadataInternal, internal.First())
			if c := clientinfo.FromContext(ctx); c != (clientinfo.Info{}) {
				pairs = append(pairs, metadataClientIP, c.IP, metadataUserAgent, c.UserAgent)
			}
		}
		return call(metadata.AppendToOutgoingContext(ctx, pairs...), method, req, reply, conn, opts...)
	}
}

func rebuildFaults(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := call(ctx, method, req, reply, conn, opts...)
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) {
		// The other side ended a call that may be retried before it had received all of it.
		// Then grpc-go returns io.EOF instead of the status.
		err = status.Error(codes.Unavailable, err.Error())
	}
	return fault.FromGRPC(err)
}
