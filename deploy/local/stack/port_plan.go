package stack

import (
	"errors"

	"fledge.dev/deploy/local/ports"
)

// plan assigns ports to the parts.
type plan struct {
	// ports reserves the ports for as long as the plan is referenced.
	ports                                 *ports.Allocator
	site, providers, mail, github, stripe int
	postgres, smtp, siteOps               int
	kratosPublic, kratosAdmin             string
	// hooks, http, grpc and ops are those of the instances.
	hooks, http, grpc, ops map[string]string
	nats                   map[string]natsPorts
}

// natsPorts are for clients and the other servers.
type natsPorts struct{ client, cluster int }

func newPlan(opts Options) (plan, error) {
	alloc := ports.New()
	p := plan{ports: alloc, hooks: map[string]string{}, http: map[string]string{}, grpc: map[string]string{}, ops: map[string]string{}, nats: map[string]natsPorts{}}
	for i, port := range []*int{&p.site, &p.providers, &p.mail, &p.github, &p.stripe} {
		if opts.FirstPort == 0 {
			break
		}
		*port = opts.FirstPort + i
		if err := ports.Require(*port); err != nil {
			return p, err
		}
	}
	var errs []error
	port := func() int {
		n, err := alloc.Port()
		errs = append(errs, err)
		return n
	}
	take := func() string { return ports.Loopback(port()) }
	for _, missing := range []*int{&p.site, &p.providers, &p.mail, &p.github, &p.stripe, &p.postgres, &p.smtp, &p.siteOps} {
		if *missing == 0 {
			*missing = port()
		}
	}
	for _, name := range opts.natsInstances() {
		p.nats[name] = natsPorts{port(), port()}
	}
	p.kratosPublic, p.kratosAdmin = take(), take()
	for _, name := range opts.Instances() {
		p.hooks[name], p.http[name], p.grpc[name], p.ops[name] = take(), take(), take(), take()
	}
	return p, errors.Join(errs...)
}
