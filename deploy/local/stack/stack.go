// Package stack starts the whole product on this machine: PostgreSQL, NATS,
// Ory Kratos, the stand-ins for external services, the five services,
// the gateway and the front door. Everything listens on 127.0.0.1 alone.
//
// The services run the same code with the same settings in both forms: all in
// this process (make run), or each as a process of its own, which tests kill.
// In both they speak gRPC over loopback, and TLS wherever they speak to each other, to
// NATS and to PostgreSQL.
package stack

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/state"
	"fledge.dev/deploy/local/subprocess"
)

// Form says where the services run.
type Form int

// The two forms.
const (
	InProcess Form = iota // services and NATS in this process
	Processes             // each a process of its own
)

func (f Form) String() string {
	if f == Processes {
		return "processes"
	}
	return "in process"
}

const stopTimeout = 40 * time.Second

// Options describes a stack.
type Options struct {
	// Root is the repository.
	Root string
	// State keeps data, logs and secrets. The caller holds its lock.
	State state.Dir
	Tools prepare.Tools
	// Form of the services. Processes needs Programs, the folder of their
	// binaries and of nats-server.
	Form     Form
	Programs string
	// FirstPort is the site's port and starts the row of ports.Row; 0 takes
	// free ones.
	FirstPort int
	// Replicas is the number of replicas of a service or of the gateway; default 1.
	// Further ones are programs named "billing-2" and so on. Processes only.
	Replicas map[string]int
	// NATSServers is 1, the default, or 3 for a cluster with three copies of each stream:
	// programs named "nats", "nats-2", "nats-3". Processes only.
	NATSServers int
	// Linked puts a link between each part and each other that it calls, see Links.
	Linked bool
	// DatabaseURL is a superuser's URL of a given server; "" starts one.
	DatabaseURL string
	// Stripe are billing's settings of an account at Stripe, see AccountAtStripe;
	// nil starts the stand-in.
	Stripe []string
	// PublicHost gives the site a name of the internet, over https, and Google, Apple, GitHub and
	// Stripe their own, with the settings of an installation. It takes a network without any
	// interface but loopback, where [prepare.PublicHosts] lead to 127.0.0.1. Default none.
	PublicHost string
	// Dev serves the pages of web/ by "next dev", with hot reload, instead of Tools.Export.
	Dev bool
	// Analytics are the site's; default none.
	Analytics Analytics
	// Settings are more environment variables ("KEY=value") by service name,
	// which override the stack's own.
	Settings map[string][]string
	// Progress shows what is being started.
	Progress *progress.Printer
}

// URLs are the addresses for people. Stripe is "" with an account at Stripe.
type URLs struct{ Site, Providers, Mail, GitHub, Stripe string }

// Stack is a running product.
type Stack struct {
	opts         Options
	urls         URLs
	smtpAddr     string
	plan         plan
	secrets      secrets
	certificates map[string]certificate
	databases    databases
	// These are of a public name; publicTLS is of its ingress and of the mail server.
	ingressKey, applePEM string
	appleKey             *ecdsa.PublicKey
	publicTLS            *tls.Config
	programs             map[string]*subprocess.Program
	children             map[string]*subprocess.Process
	failed               chan error

	mu    sync.Mutex // services start together
	stops []stop
	links map[string]edge
}

// stop ends one part.
type stop struct {
	name string
	end  func(context.Context) error
}

// Start starts everything and returns when a request to /api/health finds all
// parts well. After an error nothing is left running.
func Start(ctx context.Context, opts Options) (*Stack, error) {
	s := &Stack{opts: opts, programs: map[string]*subprocess.Program{}, children: map[string]*subprocess.Process{}, links: map[string]edge{}, failed: make(chan error, 1)}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *Stack) start(ctx context.Context) (err error) {
	if err := s.opts.validateReplicas(); err != nil {
		return err
	}
	if s.plan, err = newPlan(s.opts); err != nil {
		return err
	}
	if s.secrets, err = loadSecrets(s.opts.State); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"certificates", s.startAuthority},
		{"ingress", s.startIngress},
		{"PostgreSQL", s.startPostgres},
		{"NATS JetStream", s.startNATS},
		{"stand-ins for what is outside", s.startStandins},
		{"Ory Kratos", s.startKratos},
		{"services", s.startServices},
		{"gateway", s.startGateway},
		{"front door", s.startFrontDoor},
		{"health and first people", s.admitFirstPeople},
	} {
		shown := s.opts.Progress.Begin(step.name, "")
		err := step.run(ctx)
		shown.End(err)
		if err != nil {
			return err
		}
	}
	if err := s.cleanKratos(); err != nil {
		return err
	}
	select {
	case err := <-s.failed:
		return err
	default:
		return nil
	}
}

// URLs returns the addresses for people.
func (s *Stack) URLs() URLs { return s.urls }

// GatewayURL is the gateway, the first of them, without the front door before it.
func (s *Stack) GatewayURL() string { return "http://" + s.plan.http[gatewayName] }

// MetricsURLs are the /metrics of the services and of the gateway, by name.
func (s *Stack) MetricsURLs() map[string]string {
	urls := map[string]string{}
	for instance, addr := range s.plan.ops {
		urls[instance] = "http://" + addr + "/metrics"
	}
	return urls
}

// FrontDoorMetricsURL is where Caddy tells its own.
func (s *Stack) FrontDoorMetricsURL() string {
	return "http://" + ports.Loopback(s.plan.siteOps) + "/metrics"
}

// KratosAdminAddr is the host:port of the API through which identity manages people.
func (s *Stack) KratosAdminAddr() string { return s.plan.kratosAdmin }

// DatabaseURL connects to a service's database as that service does.
func (s *Stack) DatabaseURL(service string) string { return s.databases.urls[service] }

// NATSStore is the folder in which a server of NATS keeps its streams.
func (s *Stack) NATSStore(server string) string { return s.opts.State.Path(server) }

// Programs are the names of all that Program returns.
func (s *Stack) Programs() []string { return slices.Sorted(maps.Keys(s.programs)) }

// Program returns a part that runs as a process of its own: a service, the gateway,
// nats, postgres or kratos. Only the form Processes has these.
func (s *Stack) Program(name string) (*subprocess.Program, error) {
	p, ok := s.programs[name]
	if !ok {
		return nil, fmt.Errorf("stack: %s is not a process of its own", name)
	}
	return p, nil
}

// Wait blocks until a part fails that nobody stopped, or ctx ends.
func (s *Stack) Wait(ctx context.Context) error {
	select {
	case err := <-s.failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// Crash kills Caddy or, in the form InProcess, Kratos or the PostgreSQL of this stack, as
// a fault would.
func (s *Stack) Crash(name string) error {
	process, ok := s.children[name]
	if !ok {
		return fmt.Errorf("stack: %s is not a child of this stack", name)
	}
	return process.Kill()
}

// Stop ends all parts in reverse order and reports every one that did not end
// as it should.
func (s *Stack) Stop(ctx context.Context) error {
	return s.stopParts(ctx, func(string) bool { return true })
}

// StopServices ends the five services and the gateway; the front door and their
// dependencies keep running.
func (s *Stack) StopServices(ctx context.Context) error {
	names := s.opts.Instances()
	return s.stopParts(ctx, func(name string) bool { return slices.Contains(names, name) })
}

// Restart ends a service or the gateway as an operator does, and starts it again
// at the same addresses. It returns when /api/health finds all parts well.
func (s *Stack) Restart(ctx context.Context, name string) error {
	if err := s.StopService(ctx, name); err != nil {
		return err
	}
	start := func(ctx context.Context) error { return s.startService(ctx, name) }
	if program, ok := s.programs[name]; ok {
		start = program.Start
	}
	if err := start(ctx); err != nil {
		return err
	}
	return s.awaitHealth(ctx)
}

// StopService ends a service or the gateway as an operator does, if it runs;
// Restart brings it back.
func (s *Stack) StopService(ctx context.Context, name string) error {
	if !slices.Contains(s.opts.Instances(), name) {
		return fmt.Errorf("stack: %s is not a service", name)
	}
	if program, ok := s.programs[name]; ok {
		return program.Stop(ctx)
	}
	return s.stopParts(ctx, func(part string) bool { return part == name })
}

func (s *Stack) stopParts(ctx context.Context, chosen func(name string) bool) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	var errs []error
	var rest []stop
	for _, part := range slices.Backward(s.stops) {
		if !chosen(part.name) {
			rest = append(rest, part)
			continue
		}
		if err := part.end(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", part.name, err))
		}
	}
	slices.Reverse(rest)
	s.stops = rest
	if len(rest) == 0 {
		errs = append(errs, s.closeLinks())
	}
	return errors.Join(errs...)
}

// started notes how to end a part. gone, if any, is closed when it ends by
// itself.
func (s *Stack) started(name string, gone <-chan struct{}, end func(context.Context) error) {
	ending := make(chan struct{})
	s.mu.Lock()
	s.stops = append(s.stops, stop{name: name, end: func(ctx context.Context) error {
		close(ending)
		return end(ctx)
	}})
	s.mu.Unlock()
	if gone == nil {
		return
	}
	go func() {
		select {
		case <-ending:
		case <-gone:
			select {
			case <-ending: // both at once: it was told to
			default:
				s.fail(fmt.Errorf("%s ended by itself: see %s", name, s.opts.State.Log(name)))
			}
		}
	}()
}

// startedChild is started for a part that is a process in either form.
func (s *Stack) startedChild(name string, process *subprocess.Process) {
	s.children[name] = process
	s.started(name, process.Done(), process.Stop)
}

// fail keeps the first failure.
func (s *Stack) fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

func (s *Stack) origin() string {
	return cmp.Or(s.publicURL(s.opts.PublicHost), caddy.Origin(s.plan.site))
}
