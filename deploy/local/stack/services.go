package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/gateway"
	"fledge.dev/services/billing"
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases"
	"fledge.dev/services/support"
	"fledge.dev/services/waitlist"
)

const (
	gatewayName    = "gateway"
	serviceTimeout = 60 * time.Second
)

// Services are the names of the five services.
func Services() []string { return []string{"identity", "billing", "waitlist", "support", "releases"} }

// runner is a service's life in this process: it calls ready once and returns
// when ctx ends or the service fails.
type runner func(ctx context.Context, environ []string, log io.Writer, ready func()) error

func runners() map[string]runner {
	return map[string]runner{
		"identity":  runs("identity", identity.New),
		"billing":   runs("billing", billing.New),
		"waitlist":  runs("waitlist", waitlist.New),
		"support":   runs("support", support.New),
		"releases":  runs("releases", releases.New),
		gatewayName: runs(gatewayName, gateway.New),
	}
}

// runs does what service.Main does, for one of many in a process.
func runs[C service.Config](name string, build func(context.Context, C, *service.Runtime) ([]service.Unit, error)) runner {
	return func(ctx context.Context, environ []string, log io.Writer, ready func()) error {
		cfg, err := config.Load[C](environ)
		if err != nil {
			return err
		}
		base := cfg.ServiceBase()
		rt, err := base.Runtime(ctx, name, log)
		if err != nil {
			return err
		}
		units, err := build(ctx, cfg, rt)
		if err != nil {
			return err
		}
		units = append(units, service.Unit{Name: "ready", Start: func(context.Context) (func(context.Context) error, error) {
			ready()
			return nil, nil
		}})
		return service.Run(ctx, rt, base, units)
	}
}

// startServices starts the five together: each waits for what it needs.
func (s *Stack) startServices(ctx context.Context) error {
	var names []string
	for _, service := range Services() {
		names = append(names, s.opts.instances(service)...)
	}
	return s.startTogether(ctx, names)
}

func (s *Stack) startTogether(ctx context.Context, names []string) error {
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { errs[i] = s.startService(ctx, name) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (s *Stack) startGateway(ctx context.Context) error {
	return s.startTogether(ctx, s.opts.instances(gatewayName))
}

func (s *Stack) startService(ctx context.Context, name string) error {
	if err := s.endOrphans(name); err != nil {
		return err
	}
	if s.opts.Form == Processes {
		return s.startServiceProgram(ctx, name)
	}
	environ, err := s.settings(name)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(s.opts.State.Log(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	up, gone := make(chan struct{}), make(chan struct{})
	var outcome error
	go func() {
		defer close(gone)
		outcome = errors.Join(runners()[name](running, environ, log, func() { close(up) }), log.Close())
	}()
	stop := func(context.Context) error {
		cancel()
		<-gone // bounded by the service's own STOP_TIMEOUT
		return outcome
	}
	select {
	case <-up:
		s.started(name, gone, stop)
		return nil
	case <-gone:
		cancel()
		return fmt.Errorf("%s: %w", name, outcome)
	case <-ctx.Done():
		return errors.Join(ctx.Err(), stop(ctx))
	}
}

func (s *Stack) startServiceProgram(ctx context.Context, name string) error {
	return s.startProgram(ctx, name, func(ctx context.Context) (*child.Process, error) {
		environ, err := s.settings(name)
		if err != nil {
			return nil, err
		}
		process, err := child.Start(child.Spec{
			Name: name, Path: filepath.Join(s.opts.Programs, serviceOf(name)), Env: environ,
			LogFile: s.opts.State.Log(name), PIDFile: s.opts.State.PIDFile(name),
		})
		if err != nil {
			return nil, err
		}
		if err := ready.HTTP(ctx, "http://"+s.plan.ops[name]+"/readyz", 200, process.Done(), serviceTimeout); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w, see %s, which ends with %q", name, err, s.opts.State.Log(name), s.lastWords(name)), process.Kill())
		}
		return process, nil
	})
}

// lastWords is the end of a part's log, in which a program says why it ends.
func (s *Stack) lastWords(name string) string {
	content, err := os.ReadFile(s.opts.State.Log(name))
	if err != nil {
		return err.Error()
	}
	text := strings.TrimSpace(string(content))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
