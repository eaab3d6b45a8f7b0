// Package spec says what a service is to the rest of the product. Each service exports its
// Spec, package services lists them, and what runs, connects or guards the services follows
// from that list.
package spec

import (
	"context"
	"io"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/service"
)

// Service is a service as others see it.
type Service struct {
	// Name is also that of its folder, program, image, database, certificate and NATS user.
	Name string
	// Database tells whether it owns one.
	Database bool
	Facts
	// Load reads its settings as its program does.
	Load func(environ []string) (any, error)
	// Run is its life in a process with others: it calls ready once and returns when ctx ends
	// or the service fails.
	Run func(ctx context.Context, environ []string, log io.Writer, ready func()) error
}

// Facts are what the types of a service do not tell.
type Facts struct {
	// Calls names what it calls: services, "kratos", and the outside, such as "mail". The
	// chart's values say the same.
	Calls []string
	// Consumers are those that it runs; what they handle events with does not matter here.
	Consumers []bus.ConsumerSpec
	// Watches are the subjects of its watches.
	Watches []string
}

// Of describes the service that build makes.
func Of[C service.Config](name string, build func(context.Context, C, *service.Runtime) ([]service.Unit, error), facts Facts) Service {
	var none C
	_, database := any(none).(service.Migrator)
	return Service{
		Name: name, Database: database, Facts: facts,
		Load: func(environ []string) (any, error) { return config.Load[C](environ) },
		Run: func(ctx context.Context, environ []string, log io.Writer, ready func()) error {
			cfg, err := config.Load[C](environ)
			if err != nil {
				return err
			}
			return service.Serve(ctx, name, build, cfg, log, service.Unit{Name: "ready", Start: func(context.Context) (func(context.Context) error, error) {
				ready()
				return nil, nil
			}})
		},
	}
}

// Rights are those of its NATS user.
func (s Service) Rights() bus.Rights {
	return bus.Rights{Service: s.Name, Consumers: s.Consumers, Watches: s.Watches}
}
