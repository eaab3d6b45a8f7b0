// Package rpc is how services call each other: gRPC servers and clients that behave the
// same everywhere. The server authenticates by policy, limits time, logs, counts and turns
// errors into faults; the client rebuilds the faults and forwards the request id and the
// person's token.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/service"
)

// The metadata keys of our own calls.
const (
	metadataRequestID = "x-request-id"
	metadataInternal  = "x-fledge-internal"
	metadataClientIP  = "x-fledge-client-ip"
	// Binary, because a user agent may hold anything.
	metadataUserAgent = "x-fledge-user-agent-bin"
)

const maxMessage = 4 << 20

// ServerConfig says where a service listens.
type ServerConfig struct {
	Addr string `env:"GRPC_ADDR" envDefault:"127.0.0.1:0"`
	// InternalToken is what internal methods require of other services: one of a list.
	InternalToken config.Secret `env:"INTERNAL_TOKEN"`
	// MaxConnectionAge makes clients reconnect, so that new replicas get work.
	MaxConnectionAge time.Duration `env:"GRPC_MAX_CONNECTION_AGE" envDefault:"60s"`
	// MaxInFlight caps the calls in progress; more are refused at once.
	MaxInFlight int       `env:"GRPC_MAX_IN_FLIGHT" envDefault:"256"`
	TLS         TLSConfig `envPrefix:"GRPC_TLS_"`
}

// Validate checks the length of the internal token and the TLS files.
func (c ServerConfig) Validate() error {
	var errs []error
	if c.InternalToken.Shorter(32) {
		errs = append(errs, errors.New("INTERNAL_TOKEN: needs at least 32 characters"))
	}
	if c.MaxInFlight < 0 {
		errs = append(errs, errors.New("GRPC_MAX_IN_FLIGHT: must be positive, or 0 for any number"))
	}
	return errors.Join(append(errs, c.TLS.Validate())...)
}

// Client returns how the service with runtime rt calls the others: with the same
// internal token and certificates, and in the trace of the call it serves.
func (c ServerConfig) Client(rt *service.Runtime) ClientConfig {
	return ClientConfig{InternalToken: c.InternalToken, TLS: c.TLS, Runtime: rt}
}

// Server is a gRPC server that admits calls by policy.
type Server struct {
	cfg     ServerConfig
	rt      *service.Runtime
	guard   *authn.Guard
	callers Callers
	grpc    *grpc.Server
	health  *health.Server
	addr    net.Addr
	err     error
}

// NewServer returns a server without services. Start fails if a registered
// method has no row in one of the policies. With TLS every method is the gateway's alone
// until Open says more.
func NewServer(cfg ServerConfig, rt *service.Runtime, verifier *authn.Verifier, access authn.AccessChecker, policies ...authn.Policy) (*Server, error) {
	creds, err := cfg.TLS.credentials("", rt)
	if err != nil {
		return nil, err
	}
	full := authn.Policy{healthpb.Health_Check_FullMethodName: authn.Public, healthpb.Health_List_FullMethodName: authn.Public, healthpb.Health_Watch_FullMethodName: authn.Public}
	for _, policy := range policies {
		maps.Copy(full, policy)
	}
	s := &Server{cfg: cfg, rt: rt, guard: authn.NewGuard(full, verifier, access, cfg.InternalToken), callers: Callers{}, health: health.NewServer()}
	metrics, err := newServerMetrics(rt.Metrics)
	if err != nil {
		return nil, err
	}
	slots := newSlots(cfg.MaxInFlight)
	s.grpc = grpc.NewServer(append(traceServer(rt.Tracer),
		grpc.Creds(creds),
		grpc.MaxRecvMsgSize(maxMessage),
		// Goroutines that stay keep the stacks that handlers have grown: a read takes 54 µs of a service's CPU time instead
		// of 64 (make bench ARGS="-only reads", with and without).
		grpc.NumStreamWorkers(32),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionAge: cfg.MaxConnectionAge, MaxConnectionAgeGrace: 10 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.ChainUnaryInterceptor(metrics.observe, logCalls(rt.Log), recoverPanics(rt.Log, metrics.panics), slots.serve, withDeadline, s.admitPeer, admit(s.guard)),
	)...)
	healthpb.RegisterHealthServer(s.grpc, reporter{s.health, rt.Health})
	return s, nil
}

// Register adds a service. Every method needs a row in the policy. Streams are refused,
// because the interceptors do not see them.
func (s *Server) Register(desc *grpc.ServiceDesc, impl any) {
	for _, stream := range desc.Streams {
		s.fail(fmt.Errorf("rpc: /%s/%s streams", desc.ServiceName, stream.StreamName))
	}
	for _, m := range desc.Methods {
		if full := "/" + desc.ServiceName + "/" + m.MethodName; !s.guard.Covers(full) {
			s.fail(fmt.Errorf("rpc: %s has no row in the policy", full))
		}
	}
	s.grpc.RegisterService(desc, impl)
}

// fail keeps what Start reports.
func (s *Server) fail(err error) { s.err = errors.Join(s.err, err) }

// Addr returns the address listened on; valid once the unit has started.
func (s *Server) Addr() string { return s.addr.String() }

// Unit serves until stopped; stopping finishes the calls in progress.
func (s *Server) Unit() service.Unit {
	return service.Unit{Name: "grpc", Start: func(ctx context.Context) (func(context.Context) error, error) {
		if s.err != nil {
			return nil, s.err
		}
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.cfg.Addr)
		if err != nil {
			return nil, fmt.Errorf("rpc: %w", err)
		}
		s.addr = listener.Addr()
		s.rt.Log.Info("grpc listening", "addr", s.addr.String())
		s.health.SetServingStatus("", healthpb.HealthCheckResponse_SERVING)
		go func() {
			if err := s.grpc.Serve(listener); err != nil {
				s.rt.Fail(fmt.Errorf("rpc: %w", err))
			}
		}()
		return s.stop, nil
	}}
}

func (s *Server) stop(ctx context.Context) error {
	s.health.Shutdown()
	done := make(chan struct{})
	go func() { s.grpc.GracefulStop(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.grpc.Stop()
		return ctx.Err()
	}
}
