package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/gateway"
	"fledge.dev/services"
	"fledge.dev/services/platform/spec"
)

const (
	gatewayName    = "gateway"
	serviceTimeout = 60 * time.Second
)

// programs are the services and the gateway, by name.
func programs() map[string]spec.Service {
	all := map[string]spec.Service{gatewayName: spec.Of(gatewayName, gateway.New, spec.Facts{Calls: append(services.Names(), kratosName)})}
	for _, service := range services.All() {
		all[service.Name] = service
	}
	return all
}

// startServices starts them together: each waits for what it needs.
func (s *Stack) startServices(ctx context.Context) error {
	var names []string
	for _, service := range services.Names() {
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
		outcome = errors.Join(programs()[name].Run(running, environ, log, func() { close(up) }), log.Close())
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
	return s.startProgram(ctx, name, func(ctx context.Context) (*subprocess.Process, error) {
		environ, err := s.settings(name)
		if err != nil {
			return nil, err
		}
		process, err := subprocess.Start(subprocess.Spec{
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
