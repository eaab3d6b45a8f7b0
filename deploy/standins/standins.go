package standins

import (
	"context"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/deploy/standins/smtp"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/service"
)

// server is a running stand-in.
type server interface {
	Close(ctx context.Context) error
}

// New returns a unit for each stand-in that cfg names, in that order.
func New(_ context.Context, cfg Config, rt *service.Runtime) ([]service.Unit, error) {
	starts := map[string]func(context.Context) (server, error){
		Providers: func(ctx context.Context) (server, error) {
			return oidc.Start(ctx, oidc.Options{
				Addr: cfg.ProvidersAddr, InCluster: cfg.InCluster, Issuer: cfg.ProvidersIssuer, URL: cfg.ProvidersURL,
				SiteOrigin: cfg.SiteOrigin, Log: rt.Log,
			})
		},
		Mail: func(ctx context.Context) (server, error) {
			return smtp.Start(ctx, smtp.Options{
				SMTPAddr: cfg.SMTPAddr, HTTPAddr: cfg.MailAddr, InCluster: cfg.InCluster, Dir: cfg.MailDir, Log: rt.Log,
			})
		},
		GitHub: func(ctx context.Context) (server, error) {
			return github.Start(ctx, github.Options{Addr: cfg.GitHubAddr, InCluster: cfg.InCluster, URL: cfg.GitHubURL, Log: rt.Log})
		},
		Stripe: func(ctx context.Context) (server, error) {
			return stripe.Start(ctx, stripe.Options{
				Addr: cfg.StripeAddr, InCluster: cfg.InCluster, URL: cfg.StripeURL,
				WebhookURL: cfg.StripeWebhookURL, StateFile: cfg.StripeStateFile, Log: rt.Log,
			})
		},
	}
	var units []service.Unit
	for _, name := range cfg.Run {
		start := starts[name]
		units = append(units, service.Unit{Name: name, Start: func(ctx context.Context) (func(context.Context) error, error) {
			running, err := start(ctx)
			if err != nil {
				return nil, err
			}
			return running.Close, nil
		}})
	}
	return units, nil
}
