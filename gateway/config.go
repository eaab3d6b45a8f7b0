package gateway

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/backend"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// Config is the gateway's configuration.
type Config struct {
	service.Base
	// HTTPAddr is where the front door reaches the gateway.
	HTTPAddr string `env:"HTTP_ADDR" envDefault:"127.0.0.1:0"`
	// SiteOrigin is the site's public origin, "https://example.com": the issuer of
	// access tokens and the only site that may use the cookie routes.
	SiteOrigin string `env:"SITE_ORIGIN"`

	Services backend.Config
	// InternalToken opens the services' internal methods.
	InternalToken config.Secret `env:"INTERNAL_TOKEN"`
	TLS           rpc.TLSConfig `envPrefix:"GRPC_TLS_"`
	// KratosPublicURL is Kratos' public interface, by an internal address.
	KratosPublicURL string `env:"KRATOS_PUBLIC_URL"`
	// ConnectPatience is how long startup waits for the first service to answer.
	ConnectPatience time.Duration `env:"CONNECT_PATIENCE" envDefault:"20s"`

	API api.Config
	RateLimits
}

// Validate reports every setting that cannot work.
func (c Config) Validate() error {
	site, err := config.Origin("SITE_ORIGIN", c.SiteOrigin)
	errs := []error{err, c.Base.Validate(), c.Services.Validate(), c.TLS.Validate(), c.API.Validate(site), c.validateRates()}
	if _, err := parseBase("KRATOS_PUBLIC_URL", c.KratosPublicURL); err != nil {
		errs = append(errs, err)
	}
	if c.InternalToken.Shorter(32) {
		errs = append(errs, errors.New("INTERNAL_TOKEN: needs at least 32 characters"))
	}
	if c.ConnectPatience <= 0 {
		errs = append(errs, errors.New("CONNECT_PATIENCE must be positive"))
	}
	return errors.Join(errs...)
}

func parseBase(key, value string) (*url.URL, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("%s: %q is not an http address", key, value)
	}
	return u, nil
}
