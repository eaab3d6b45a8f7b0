// Package gateway is the product's only HTTP interface: it serves /api, authenticates the
// caller, and passes the work to the services over gRPC.
package gateway

import (
	"context"
	_ "embed"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/httpserver"
	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/waitlist"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// OpenAPI is the interface's description, openapi.yaml, for tests.
//
//go:embed openapi.yaml
var OpenAPI []byte

// New returns the gateway's units. It connects to nothing before they start, and the
// gateway serves even if services are missing.
func New(_ context.Context, cfg Config, rt *service.Runtime) ([]service.Unit, error) {
	site, err := config.Origin("SITE_ORIGIN", cfg.SiteOrigin)
	if err != nil {
		return nil, err
	}
	kratosURL, err := parseBase("KRATOS_PUBLIC_URL", cfg.KratosPublicURL)
	if err != nil {
		return nil, err
	}
	services, err := backend.Dial(cfg.Services, rpc.ClientConfig{
		InternalToken: cfg.InternalToken, TLS: cfg.TLS, Runtime: rt,
		MaxInFlight: max(1, cfg.API.MaxInFlight/2), // a service that hangs leaves the other half
	})
	if err != nil {
		return nil, err
	}
	identity := identityclient.New(services.IdentityConn())
	verifier := authn.NewVerifier(cfg.SiteOrigin, authn.NewKeys(identity.JWKS, rt.Clock), rt.Clock)
	ory, err := kratos.NewClient(kratosURL, site, rt.Log, rt.Metrics, rt.Clock)
	if err != nil {
		return nil, err
	}
	cfg.API.Site, cfg.API.Rates, cfg.API.SignUpTimeout = site, cfg.rates(), waitlist.SignUpTimeout
	handler, err := api.New(cfg.API, rt, services, ory, verifier, identity)
	if err != nil {
		return nil, err
	}
	return []service.Unit{
		{Name: "backends", Start: func(ctx context.Context) (func(context.Context) error, error) {
			services.Connect(ctx, cfg.ConnectPatience)
			return func(context.Context) error { return services.Close() }, nil
		}},
		httpserver.Unit(cfg.HTTPAddr, handler, rt),
	}, nil
}
