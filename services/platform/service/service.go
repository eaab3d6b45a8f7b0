// Package service is the lifecycle of every process: read the configuration, start the
// units in order, report ready; on the first signal report not ready, drain, and stop the
// units in reverse order.
//
// A binary's main passes its name, its constructor and its further commands, if any (see
// Command):
//
//	func main() { service.Main("waitlist", waitlist.New) }
//
// The local stack calls Run with the same units, so one process or six makes no
// difference to the services.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/obs"
)

// Unit is one part of a process that starts and stops.
type Unit struct {
	Name string
	// Start returns once the unit is ready. The unit must outlive ctx's
	// deadline but may use ctx while starting. stop may be nil; it is called
	// once, with a context that carries the deadline for stopping.
	Start func(ctx context.Context) (stop func(context.Context) error, err error)
}

// Runtime is what a process gives its parts instead of globals.
type Runtime struct {
	Name    string
	Version string
	Log     *slog.Logger
	Metrics *prometheus.Registry
	Tracer  trace.TracerProvider
	// Clock is the machine's until pg.Open makes it the database server's.
	Clock  clock.Clock
	Health *Health

	failed   chan error
	draining atomic.Bool
	// flush sends the waiting spans.
	flush func(context.Context) error
}

// flushTimeout is how long a process that stops waits for a collector.
const flushTimeout = 2 * time.Second

// Runtime returns the runtime that the settings ask for: it logs to out and sends
// spans to the collector, if there is one.
func (b Base) Runtime(ctx context.Context, name string, out io.Writer) (*Runtime, error) {
	rt := NewRuntime(name, Version(), obs.NewLogger(out, name, b.LogLevel))
	tracing, err := obs.NewTracing(ctx, b.Traces, name, rt.Version, rt.Log, rt.Metrics)
	if err != nil {
		return nil, err
	}
	rt.Tracer, rt.flush = tracing.Provider, tracing.Shutdown
	return rt, nil
}

// build tells which build runs where, with the value 1.
func build(version string) prometheus.Collector {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "fledge_build_info", Help: "1, with the version of the build."}, []string{"version"})
	info.WithLabelValues(version).Set(1)
	return info
}

// NewRuntime returns a runtime with the machine's clock, its own registry and
// no tracing.
func NewRuntime(name, version string, log *slog.Logger) *Runtime {
	registry := obs.NewRegistry()
	registry.MustRegister(build(version))
	return &Runtime{
		Name: name, Version: version, Log: log,
		Metrics: registry, Tracer: noop.NewTracerProvider(),
		Clock: clock.System(), Health: NewHealth(),
		failed: make(chan error, 1), flush: func(context.Context) error { return nil },
	}
}

// Fail ends the process's run: for a unit that finds after its start that it
// cannot go on. Only the first failure counts.
func (rt *Runtime) Fail(err error) {
	select {
	case rt.failed <- err:
	default:
	}
}

// Draining reports whether the process has been asked to stop. It still serves requests
// for as long as DRAIN_DELAY.
func (rt *Runtime) Draining() bool { return rt.draining.Load() }

// Base is the part of the configuration that every process has.
type Base struct {
	// OpsAddr serves /livez, /readyz and /metrics; "" serves none.
	OpsAddr string `env:"OPS_ADDR" envDefault:"127.0.0.1:0"`
	// Profiles serves /debug/pprof there, too: whoever reaches it sees what is in memory, and
	// costs the process time.
	Profiles bool `env:"PROFILES"`
	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info"`
	// DrainDelay is how long the process serves while reporting not ready, so
	// that load balancers can notice.
	DrainDelay time.Duration `env:"DRAIN_DELAY" envDefault:"0s"`
	// StopTimeout bounds the stopping of all units together.
	StopTimeout time.Duration `env:"STOP_TIMEOUT" envDefault:"20s"`

	Traces obs.TraceConfig
}

// ServiceBase gives Run access to the embedded Base.
func (b Base) ServiceBase() Base { return b }

// Validate checks the values that have bounds.
func (b Base) Validate() error {
	var bounds error
	if b.DrainDelay < 0 || b.StopTimeout <= 0 {
		bounds = errors.New("DRAIN_DELAY must not be negative and STOP_TIMEOUT must be positive")
	}
	return errors.Join(bounds, b.Traces.Validate())
}

// Run starts the units and blocks until ctx ends or a unit fails; then it drains
// and stops everything that was started. It returns the first failure, or nil
// after an orderly stop.
func Run(ctx context.Context, rt *Runtime, base Base, units []Unit) error {
	if base.OpsAddr != "" {
		units = append([]Unit{opsUnit(rt, base.OpsAddr, base.Profiles)}, units...)
	}
	stop, err := start(ctx, rt, units)
	if err == nil {
		rt.Health.setReady(true)
		rt.Log.Info("ready")
		err = wait(ctx, rt, base)
	}
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), base.StopTimeout)
	defer cancel()
	err = errors.Join(err, stop(stopCtx))
	rt.sendSpans(ctx)
	return err
}

// sendSpans has a time of its own, after everything else has ended: spans are
// worth less than an orderly stop.
func (rt *Runtime) sendSpans(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if err := rt.flush(ctx); err != nil {
		rt.Log.Warn("the last trace spans were not sent before the stop", "error", err)
	}
}

func start(ctx context.Context, rt *Runtime, units []Unit) (stop func(context.Context) error, err error) {
	type started struct {
		name string
		stop func(context.Context) error
	}
	var running []started
	stop = func(ctx context.Context) error {
		var errs []error
		for i := len(running) - 1; i >= 0; i-- {
			if running[i].stop == nil {
				continue
			}
			if err := running[i].stop(ctx); err != nil {
				errs = append(errs, fmt.Errorf("stop %s: %w", running[i].name, err))
			}
		}
		rt.Log.Info("stopped")
		return errors.Join(errs...)
	}
	for _, u := range units {
		unitStop, err := u.Start(ctx)
		if err != nil {
			return stop, fmt.Errorf("start %s: %w", u.Name, err)
		}
		running = append(running, started{u.Name, unitStop})
		rt.Log.Debug("started", "unit", u.Name)
	}
	return stop, nil
}

func wait(ctx context.Context, rt *Runtime, base Base) error {
	defer rt.Health.setReady(false)
	select {
	case err := <-rt.failed:
		return err
	case <-ctx.Done():
	}
	rt.draining.Store(true)
	rt.Health.setReady(false)
	rt.Log.Info("draining", "delay", base.DrainDelay)
	timer := time.NewTimer(base.DrainDelay)
	defer timer.Stop()
	select {
	case err := <-rt.failed:
		return err
	case <-timer.C:
		return nil
	}
}
