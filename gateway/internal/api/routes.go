package api

import (
	"slices"

	"fledge.dev/gateway/internal/admin"
	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/billing"
	"fledge.dev/gateway/internal/export"
	"fledge.dev/gateway/internal/identity"
	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/mailreports"
	"fledge.dev/gateway/internal/mails"
	"fledge.dev/gateway/internal/meta"
	"fledge.dev/gateway/internal/releases"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/support"
	"fledge.dev/gateway/internal/waitlist"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/service"
)

// table is the table of all routes. Nothing is served without a row.
func table(cfg Config, rt *service.Runtime, services *backend.Services, ory *kratos.Client, verifier *authn.Verifier, site *route.Site) ([]route.Route, error) {
	reports, err := mailreports.Routes(cfg.MailReports, services, rt)
	csv := route.CSV{Timeout: cfg.RequestTimeout, Log: rt.Log}
	return slices.Concat(
		waitlist.Routes(services, site, csv, cfg.SignUpTimeout),
		identity.Routes(identity.Deps{Identity: services.Identity, Waitlist: services.Waitlist, Kratos: ory, Verifier: verifier, Site: site, Links: cfg.AppLinks, Log: rt.Log}),
		export.Routes(services, cfg.RequestTimeout, rt.Clock),
		billing.Routes(services, site, csv, rt.Clock, rt.Log, cfg.PaymentTimeout),
		support.Routes(services, csv, rt.Clock),
		releases.Routes(services, site, cfg.DownloadHosts, rt.Clock, rt.Log),
		mails.Routes(services),
		admin.Routes(services, rt.Log),
		meta.Routes(services, ory, rt.Clock),
		reports,
	), err
}
