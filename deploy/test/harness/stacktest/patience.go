package stacktest

import (
	"fledge.dev/deploy/local/stack"
	"fledge.dev/services"
)

// Patient lets every service wait long, for tests that are not about deadlines: on a
// machine that is busy with other tests the product would rightly answer "not now".
func Patient(opts *stack.Options) {
	if opts.Settings == nil {
		opts.Settings = map[string][]string{}
	}
	for _, service := range services.Names() {
		opts.Settings[service] = append(opts.Settings[service], "DATABASE_DEADLINE=15s", "DATABASE_STATEMENT_TIMEOUT=15s")
	}
	opts.Settings["gateway"] = append(opts.Settings["gateway"], "REQUEST_TIMEOUT=20s")
}
