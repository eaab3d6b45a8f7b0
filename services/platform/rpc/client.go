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
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/remote"
	"fledge.dev/services/platform/service"
)

// grpc-go asks the DNS again at most every 30 s by default; when all pods roll in
// less, that is half a minute of refused connections.
func init() { dns.SetMinResolutionInterval(time.Second) }

// ClientConfig says how to reach other services.
type ClientConfig struct {
	// InternalToken is sent to methods that serve services, not people.
	InternalToken config.Secret
	TLS           TLSConfig
	// Service is the one to reach, whose name the server's certificate must show. Only
	// TLS asks for it.
	Service string
	// MaxInFlight is how many calls may be under way on the connection; more fail at once
	// with fault.Unavailable. 0 is any number.
	MaxInFlight int
	// Runtime is the caller's: its tracer records calls and hands their trace on, its log
	// and metrics are told of certificates. Without one there are no traces and no TLS.
	Runtime *service.Runtime
}

// Dial returns a lazy connection to target: "host:port", several of them with commas
// between, or "dns:///name:port". Calls are spread over all that answer.
// It never waits for the other side; calls fail with Unavailable until it is
// there.
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
	crowd := newSlots(cfg.MaxInFlight)
	conn, err := grpc.NewClient(target, append(options,
		grpc.WithTransportCredentials(creds),
		grpc.WithDefaultServiceConfig(serviceConfig()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: retry, MinConnectTimeout: time.Second}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 2 * time.Second, PermitWithoutStream: true}),
		grpc.WithChainUnaryInterceptor(crowd.call, forward(cfg.InternalToken), rebuildFaults),
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
			pairs = append(pairs, metadataInternal, internal.Reveal())
			if c := remote.FromContext(ctx); c != (remote.Client{}) {
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
		// The other side ended a call that may be repeated before it had all of it.
		// grpc-go tells the end of the stream then instead of its status.
		err = status.Error(codes.Unavailable, err.Error())
	}
	return fault.FromGRPC(err)
}
