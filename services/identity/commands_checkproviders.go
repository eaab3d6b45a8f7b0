package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/provider"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/service"
)

const checkProvidersHelp = `
Asks Google and Apple whether they accept the site's client id with its secret or key, by
a code that neither has given out: nobody is signed in. Exits with 1 if one refuses or
does not answer. The service does the same every day.

Needs SITE_ORIGIN and the settings of the providers, see kratos-config.
`

type checkSettings struct {
	SiteOrigin string `env:"SITE_ORIGIN"`
	Providers  provider.Config
}

// Validate implements config.Validator.
func (s checkSettings) Validate() error {
	_, err := config.Origin("SITE_ORIGIN", s.SiteOrigin)
	return errors.Join(err, s.Providers.Validate())
}

func checkProviders() service.Command {
	return service.Command{
		Name: "check-providers", Summary: "ask Google and Apple whether they accept the site's secret and key", Help: checkProvidersHelp,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 0 {
				return service.Misuse("there are no arguments")
			}
			cfg, err := service.Settings[checkSettings](call)
			if err != nil {
				return err
			}
			checker, err := provider.NewChecker(cfg.Providers, cfg.SiteOrigin, clock.System(), prometheus.NewRegistry())
			if err != nil {
				return err
			}
			results, failed := checker.Check(ctx)
			if len(results) == 0 && failed == nil {
				failed = errors.New("no provider is set up")
			}
			for _, r := range results {
				said := "accepted"
				if r.Refused != "" {
					said = "refused: " + r.Refused
					failed = errors.Join(failed, fmt.Errorf("%s refuses", r.Provider))
				}
				if _, err := fmt.Fprintf(call.Out, "%s: %s\n", r.Provider, said); err != nil {
					return err
				}
			}
			return failed
		},
	}
}
