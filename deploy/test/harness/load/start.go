package load

import (
	"context"
	"errors"
	"strings"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
)

// Start starts a product as processes, with these additional settings of the gateway, and
// returns a sender of the mix of sign-ups and the admin's reads of paths. The caller stops
// the product.
func Start(ctx context.Context, opts stack.Options, paths []string, gateway ...string) (*stack.Stack, *Sender, error) {
	opts.Form = stack.Processes
	// All the load comes from one address, so the limits per client are out of its reach.
	opts.Settings = map[string][]string{"gateway": append(stacktest.NoLimits(), gateway...)}
	product, err := stack.Start(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	admin := person.New(product.URLs().Site)
	if err := admin.SignIn(ctx, stack.AdminEmail); err != nil {
		return nil, nil, errors.Join(err, product.Stop(context.WithoutCancel(ctx)))
	}
	return product, &Sender{
		Addr:    strings.TrimPrefix(product.GatewayURL(), "http://"),
		Request: Mix(product.URLs().Site, admin, paths...),
	}, nil
}
