package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// exportPatience is how long a service may take for a piece.
const exportPatience = 30 * time.Second

const exportAccountHelp = `
Writes a ZIP to the standard output: what the person gets in their profile, for somebody
who cannot sign in.

  identity export-account ann@example.com > ann.zip

All services have to answer; otherwise nothing is written. The audit log says that it was
done, by "operator". Needs DATABASE_URL, INTERNAL_TOKEN, KRATOS_ADMIN_URL, KRATOS_PUBLIC_URL,
BILLING_ADDR, RELEASES_ADDR, SUPPORT_ADDR and WAITLIST_ADDR, and GRPC_TLS_… where the services have them.
`

func exportAccount() service.Command {
	return service.Command{
		Name: "export-account", Arguments: "<address | id>",
		Summary: "write everything that all services hold about an account", Help: exportAccountHelp,
		Run: runExportAccount,
	}
}

// exports are what this service tells of an account.
type exports struct {
	*store.Store
	kratos *kratos.Client
}

// ExportTables implements api.Exports.
func (e exports) ExportTables() []export.Table {
	return append(e.Store.ExportTables(), e.kratos.ExportTables()...)
}

type exportSettings struct {
	Database pg.Config
	Kratos   kratos.Config
	RPC      rpc.ServerConfig
	Billing  string `env:"BILLING_ADDR"`
	Releases string `env:"RELEASES_ADDR"`
	Support  string `env:"SUPPORT_ADDR"`
	Waitlist string `env:"WAITLIST_ADDR"`
}

// targets are where the other services are.
func (s exportSettings) targets() map[string]string {
	return map[string]string{"billing": s.Billing, "releases": s.Releases, "support": s.Support, "waitlist": s.Waitlist}
}

// Validate implements config.Validator.
func (s exportSettings) Validate() error {
	errs := []error{s.Database.Validate(), s.Kratos.Validate(), s.RPC.Validate()}
	for name, target := range s.targets() {
		if target == "" {
			errs = append(errs, errors.New(strings.ToUpper(name)+"_ADDR is missing"))
		}
	}
	return errors.Join(errs...)
}

func runExportAccount(ctx context.Context, call service.Call) error {
	if len(call.Args) != 1 {
		return service.Misuse("name one account, by its address or id")
	}
	cfg, err := service.Settings[exportSettings](call)
	if err != nil {
		return err
	}
	pool, err := pg.Open(ctx, cfg.Database, call.Runtime)
	if err != nil {
		return err
	}
	defer pool.Close()
	kratosClient, err := kratos.New(cfg.Kratos, call.Runtime.Metrics)
	if err != nil {
		return err
	}
	defer kratosClient.Close()
	st := exports{store.New(pool, account.NewAdmins(nil), cfg.Database.Deadline), kratosClient}
	whose, err := st.ExportAccountOf(ctx, call.Args[0])
	if errors.Is(err, store.ErrUnknownUser) {
		return fmt.Errorf("no account has the address or id %q", call.Args[0])
	}
	if err != nil {
		return err
	}
	archive, err := collect(ctx, cfg, call.Runtime, st, whose)
	if err != nil {
		return fmt.Errorf("nothing is written, because one of the services did not answer: %w", err)
	}
	if err := st.RecordExport(audit.WithActor(ctx, operator), whose); err != nil {
		return err
	}
	return archive.Write(call.Out, whose, call.Runtime.Clock.Now())
}

// collect asks this service's own database, and the others as the gateway does.
func collect(ctx context.Context, cfg exportSettings, rt *service.Runtime, st exports, whose export.Account) (_ export.Archive, err error) {
	conns := map[string]*grpc.ClientConn{}
	defer func() {
		for _, conn := range conns {
			err = errors.Join(err, conn.Close())
		}
	}()
	for name, target := range cfg.targets() {
		client := cfg.RPC.Client(rt)
		client.Service = name
		if conns[name], err = rpc.Dial(target, client); err != nil {
			return nil, err
		}
	}
	return export.Collect(ctx, exportPatience,
		func(ctx context.Context, cursor string) ([]*exportv1.Part, string, error) {
			return export.Piece(ctx, st.ExportTables(), whose, cursor)
		},
		export.Remote(waitlistv1.NewWaitlistServiceClient(conns["waitlist"]).ExportAccount, func(cursor string) *waitlistv1.ExportAccountRequest {
			return &waitlistv1.ExportAccountRequest{Account: whose.Proto(), Cursor: cursor}
		}),
		export.Remote(billingv1.NewBillingServiceClient(conns["billing"]).ExportAccount, func(cursor string) *billingv1.ExportAccountRequest {
			return &billingv1.ExportAccountRequest{Account: whose.Proto(), Cursor: cursor}
		}),
		export.Remote(supportv1.NewSupportServiceClient(conns["support"]).ExportAccount, func(cursor string) *supportv1.ExportAccountRequest {
			return &supportv1.ExportAccountRequest{Account: whose.Proto(), Cursor: cursor}
		}),
		export.Remote(releasesv1.NewReleasesServiceClient(conns["releases"]).ExportAccount, func(cursor string) *releasesv1.ExportAccountRequest {
			return &releasesv1.ExportAccountRequest{Account: whose.Proto(), Cursor: cursor}
		}))
}
