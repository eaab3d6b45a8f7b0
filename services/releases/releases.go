// Package releases is the service for the Mac app's releases: it mirrors them
// from GitHub, lets staff decide which are offered, and returns the download URLs
// of offered builds.
package releases

import (
	"context"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/spec"
	"fledge.dev/services/releases/internal/api"
	"fledge.dev/services/releases/internal/catalog"
	"fledge.dev/services/releases/internal/checksum"
	"fledge.dev/services/releases/internal/downloads"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/store"
	"fledge.dev/services/releases/internal/usage"
)

// New returns the service's units in the order in which they start.
func New(ctx context.Context, cfg Config, rt *service.Runtime) ([]service.Unit, error) {
	repo, err := cfg.GitHub.Repository()
	if err != nil {
		return nil, err
	}
	machine := rt.Clock // from here on it is the database's
	pool, err := pg.Open(ctx, cfg.Database, rt)
	if err != nil {
		return nil, err
	}
	identity, verifier, err := identityclient.Connect(cfg.Access, cfg.RPC.Client(rt), rt.Clock)
	if err != nil {
		return nil, err
	}
	server, err := rpc.NewServer(cfg.RPC, rt, verifier, identity, api.Policy())
	if err != nil {
		return nil, err
	}
	server.Open(api.Callers())
	st := store.New(pool)
	offers := catalog.New(st, cfg.Database.Interactive, machine, rt.Log)
	counts := downloads.New(st, rt.Clock, rt.Log)
	client := github.New(repo, cfg.GitHub.Timeout)
	files := client.NewDownloads(machine)
	sums, err := checksum.New(st, files, rt.Log, rt.Metrics, offers.Invalidate)
	if err != nil {
		return nil, err
	}
	changed := func() { offers.Invalidate(); sums.Wake() }
	upstream, err := mirror.New(mirror.Config{
		Repository:         repo.String(),
		Interval:           cfg.GitHub.Interval,
		Spacing:            cfg.GitHub.Spacing,
		Tick:               cfg.GitHub.Tick(),
		InitiallyAvailable: cfg.InitialAvailability == Enabled,
		Changed:            changed,
	}, client, st, rt.Clock, rt.Log, rt.Metrics)
	if err != nil {
		return nil, err
	}
	background, err := periodic.New(pool, rt)
	if err != nil {
		return nil, err
	}
	impl, err := api.New(api.Parts{
		Store: st, Accounts: identity, Catalog: offers, Mirror: upstream, Counter: counts, Webhook: cfg.GitHub.Webhook(),
		Repository: repo.String(), Locate: files.Locate, Changed: changed,
		Interactive: cfg.Database.Interactive, Clock: rt.Clock, Log: rt.Log,
	}, rt.Metrics)
	if err != nil {
		return nil, err
	}
	server.Register(&releasesv1.ReleasesService_ServiceDesc, impl)
	events := bus.Connect(cfg.Bus, rt)
	return []service.Unit{
		cfg.Database.Unit(pool, cfg.Migrate),
		events.Unit(),
		events.Relay(pool),
		identity.Watch(events),
		events.Consumer(pool, erasure.Consumer("releases", pool, st.Erase)),
		counts.Unit(),
		{Name: "github", Start: func(context.Context) (func(context.Context) error, error) {
			return func(context.Context) error { client.CloseIdle(); return nil }, nil
		}},
		background.Unit(upstream.Task(), sums.Task(), usage.Task(st, rt.Clock.Now), bus.Cleanup(pool)),
		server.Unit(),
	}, nil
}

// Spec is what the service is to the rest of the product.
func Spec() spec.Service {
	return spec.Of("releases", New, spec.Facts{
		Calls:     []string{"identity", "github"},
		Watches:   []string{identityclient.RolesChanged},
		Consumers: []bus.ConsumerSpec{erasure.Consumer("releases", nil, nil)},
	})
}
