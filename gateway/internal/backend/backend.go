// Package backend holds the connections to the services behind the gateway.
package backend

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/rpc"
)

// Config says where each service is: a target of rpc.Dial.
type Config struct {
	Identity string `env:"IDENTITY_ADDR"`
	Billing  string `env:"BILLING_ADDR"`
	Waitlist string `env:"WAITLIST_ADDR"`
	Support  string `env:"SUPPORT_ADDR"`
	Releases string `env:"RELEASES_ADDR"`
}

func (c Config) targets() map[string]string {
	return map[string]string{
		"identity": c.Identity, "billing": c.Billing, "waitlist": c.Waitlist, "support": c.Support, "releases": c.Releases,
	}
}

// Validate checks that no address is missing.
func (c Config) Validate() error {
	var errs []error
	for name, target := range c.targets() {
		if target == "" {
			errs = append(errs, errors.New(name+": its _ADDR is missing"))
		}
	}
	return errors.Join(errs...)
}

// senders are the services that send emails: their Specs call "mail".
var senders = []string{"billing", "identity", "support", "waitlist"}

// Services are clients of the services. Connections are lazy and reconnect by themselves;
// calls fail with fault.Unavailable while a service is down.
type Services struct {
	Identity identityv1.IdentityServiceClient
	Billing  billingv1.BillingServiceClient
	Waitlist waitlistv1.WaitlistServiceClient
	Support  supportv1.SupportServiceClient
	Releases releasesv1.ReleasesServiceClient
	// Mail is that of every service that sends emails.
	Mail []mailv1.MailServiceClient

	conns map[string]*grpc.ClientConn
}

// Dial prepares the connections.
func Dial(cfg Config, client rpc.ClientConfig) (*Services, error) {
	s := &Services{conns: map[string]*grpc.ClientConn{}}
	for name, target := range cfg.targets() {
		client.Service = name
		conn, err := rpc.Dial(target, client)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.conns[name] = conn
	}
	s.Identity = identityv1.NewIdentityServiceClient(s.conns["identity"])
	s.Billing = billingv1.NewBillingServiceClient(s.conns["billing"])
	s.Waitlist = waitlistv1.NewWaitlistServiceClient(s.conns["waitlist"])
	s.Support = supportv1.NewSupportServiceClient(s.conns["support"])
	s.Releases = releasesv1.NewReleasesServiceClient(s.conns["releases"])
	for _, sender := range senders {
		s.Mail = append(s.Mail, s.MailOf(sender))
	}
	return s, nil
}

// MailOf is the MailService of one of the services that send emails.
func (s *Services) MailOf(sender string) mailv1.MailServiceClient {
	return mailv1.NewMailServiceClient(s.conns[sender])
}

// othersTimeout is how long Connect waits for the others once one service has answered.
const othersTimeout = 3 * time.Second

// Connect waits until every service has answered, because requests come as soon as this
// process is ready. It waits up to timeout for the first one, because the network of a new
// pod may take seconds before it lets anything through. A single service that is down does
// not keep the others from being served.
func (s *Services) Connect(ctx context.Context, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var connecting sync.WaitGroup
	var first sync.Once
	for _, conn := range s.conns {
		connecting.Go(func() {
			if connect(ctx, conn) {
				first.Do(func() { time.AfterFunc(othersTimeout, cancel) })
			}
		})
	}
	connecting.Wait()
}

func connect(ctx context.Context, conn *grpc.ClientConn) bool {
	for {
		conn.Connect() // after a failure it is idle
		state := conn.GetState()
		if state == connectivity.Ready {
			return true
		}
		if !conn.WaitForStateChange(ctx, state) {
			return false
		}
	}
}

// IdentityConn is the connection to identity, for the checks of tokens and roles.
func (s *Services) IdentityConn() grpc.ClientConnInterface { return s.conns["identity"] }

// Close ends the connections.
func (s *Services) Close() error {
	var errs []error
	for _, conn := range s.conns {
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// healthTimeout is how long a service may take to report its health.
const healthTimeout = time.Second

// Status is the health of the services, as they report it.
type Status struct {
	// Services tells for each service whether it serves.
	Services map[string]bool
	// Parts tells for each part that any service reports ("database", "nats", …) whether
	// it is up for all of them.
	Parts map[string]bool
}

// Health asks all services at the same time, by the standard gRPC health protocol: the empty
// name is the service itself, every other name a part that it depends on.
func (s *Services) Health(ctx context.Context) Status {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	all := Status{Services: map[string]bool{}, Parts: map[string]bool{}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for name, conn := range s.conns {
		wg.Go(func() {
			statuses := ask(ctx, conn)
			mu.Lock()
			defer mu.Unlock()
			all.Services[name] = statuses[""]
			delete(statuses, "")
			for part, up := range statuses {
				others, reported := all.Parts[part]
				all.Parts[part] = up && (others || !reported)
			}
		})
	}
	wg.Wait()
	return all
}

func ask(ctx context.Context, conn *grpc.ClientConn) map[string]bool {
	statuses := map[string]bool{}
	reply, err := healthpb.NewHealthClient(conn).List(ctx, &healthpb.HealthListRequest{})
	if err != nil {
		return statuses
	}
	for name, r := range reply.GetStatuses() {
		statuses[name] = r.GetStatus() == healthpb.HealthCheckResponse_SERVING
	}
	return statuses
}
