// Package servicetest runs a service in a test: in the test's own process, or in a
// second one that can be killed. It must not be imported outside tests.
//
//	var waitlistService = servicetest.Service[waitlist.Config, waitlistv1.WaitlistServiceClient]{
//		Name: "waitlist", New: waitlist.New, Client: waitlistv1.NewWaitlistServiceClient,
//	}
//
//	func TestMain(m *testing.M) { waitlistService.Main(m) }
package servicetest

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

const (
	// InternalToken is what the services of a test know each other by.
	InternalToken = "0123456789abcdef0123456789abcdef"
	// childVariable makes the test binary be the service.
	childVariable = "SERVICETEST_RUN_SERVICE"
)

// Service is the service under test; T is what calls it.
type Service[C service.Config, T any] struct {
	Name string
	New  func(context.Context, C, *service.Runtime) ([]service.Unit, error)
	// Client is the constructor that the contract has generated.
	Client func(grpc.ClientConnInterface) T
	// Machine is the clock of the machine that Serve runs it on; by default the real one.
	Machine clock.Clock
	// As are the credentials of the calls; by default there are none.
	As rpc.ClientConfig
}

// Main runs the tests; in a process that Spawn has started, the service instead.
func (s Service[C, T]) Main(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		service.Main(s.Name, s.New)
		return
	}
	os.Exit(m.Run())
}

// Serve runs the service in this process until the test ends, with environ as its
// environment.
func (s Service[C, T]) Serve(t testing.TB, environ map[string]string) (client T, rt *service.Runtime) {
	t.Helper()
	cfg, err := config.Load[C](Environment(environ))
	errtest.None(t, err)
	log := &logtest.Log{}
	rt = service.NewRuntime(s.Name, "dev", obs.NewLogger(log, s.Name, slog.LevelInfo))
	rt.Clock = cmp.Or(s.Machine, rt.Clock)
	units, err := s.New(t.Context(), cfg, rt)
	errtest.None(t, err)
	Run(t, rt, cfg.ServiceBase(), units)
	return s.dial(t, log.Addr(t, "grpc listening")), rt
}

// Run runs a program in this process until stop or the end of the test, when it must stop without an error.
func Run(t testing.TB, rt *service.Runtime, base service.Base, units []service.Unit) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx, rt, base, units) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the service stopped with %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// Spawn runs the service in a process of its own until kill is called or the test
// ends; either way it has no time to tidy up. The package's TestMain must be Main.
func (s Service[C, T]) Spawn(t testing.TB, environ map[string]string) (client T, kill func()) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(Environment(environ), childVariable+"=1", "PATH="+os.Getenv("PATH"))
	log := &logtest.Log{}
	child.Stderr = log
	errtest.None(t, child.Start())
	kill = func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	t.Cleanup(kill)
	return s.dial(t, log.Addr(t, "grpc listening")), kill
}

func (s Service[C, T]) dial(t testing.TB, addr string) T {
	t.Helper()
	conn, err := rpc.Dial(addr, s.As)
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return s.Client(conn)
}

// Environment writes variables as a process takes them, with the addresses of emails, which have
// no default.
func Environment(values map[string]string) []string {
	list := []string{"MAIL_FROM=Fledge <hello@fledge.test>", "MAIL_REPLY_TO=support@fledge.test"}
	for key, value := range values {
		list = append(list, key+"="+value)
	}
	return list
}
