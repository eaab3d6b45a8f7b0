package identity

import (
	"context"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/url"
	"strings"
	"time"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/projection"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// Config is the service's whole configuration.
type Config struct {
	service.Base
	RPC      rpc.ServerConfig
	Database pg.Config
	Bus      bus.Config
	Mail     mail.Config
	Kratos   kratos.Config
	Keys     keyring.Config
	// Projection keeps accounts in step with Kratos.
	Projection projection.Config
	// SiteOrigin is the site's public origin, the issuer of the tokens.
	SiteOrigin string `env:"SITE_ORIGIN"`
	// HookAddr takes Kratos' reports. Nobody but Kratos should reach it.
	HookAddr string `env:"HOOK_ADDR" envDefault:"127.0.0.1:0"`
	// HookKey is what Kratos shows there.
	HookKey config.Secret `env:"HOOK_KEY"`
	// KeyEncryptionKey seals the service's keys in its database: 32 bytes in
	// base64. Losing it signs everybody out.
	KeyEncryptionKey config.Secret `env:"KEY_ENCRYPTION_KEY"`
	// HandOffTokens allows sessions for Mac apps that send no PKCE challenge: their
	// tokens travel in the app's link, where another app might catch them.
	HandOffTokens bool `env:"HAND_OFF_TOKENS" envDefault:"true"`
	// DeletionGrace is how long the deletion of an account can be taken back, by signing in.
	DeletionGrace time.Duration `env:"DELETION_GRACE" envDefault:"168h"`
	// AuditLogRetention is how long entries of the audit log are kept, 30 days at least.
	AuditLogRetention time.Duration `env:"AUDIT_LOG_RETENTION" envDefault:"26280h"`
	// BootstrapAdminEmails get the admin role when they sign in, each address once.
	BootstrapAdminEmails []string `env:"BOOTSTRAP_ADMIN_EMAILS"`
}

const (
	minHookKey           = 32
	minAuditLogRetention = 30 * 24 * time.Hour
)

// Validate reports everything that is wrong, by variable.
func (c Config) Validate() error {
	errs := []error{c.Base.Validate(), c.RPC.Validate(), c.Database.Validate(), c.Bus.Validate(), c.Mail.Validate(), c.Keys.Validate(), c.Projection.Validate()}
	for name, value := range map[string]string{"KRATOS_PUBLIC_URL": c.Kratos.PublicURL, "KRATOS_ADMIN_URL": c.Kratos.AdminURL} {
		if u, err := url.Parse(value); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			errs = append(errs, fmt.Errorf("%s: not an http(s) URL", name))
		}
	}
	if c.Kratos.Timeout <= 0 {
		errs = append(errs, errors.New("KRATOS_TIMEOUT must be positive"))
	}
	if c.DeletionGrace < 0 {
		errs = append(errs, errors.New("DELETION_GRACE must not be negative"))
	}
	if c.AuditLogRetention < minAuditLogRetention {
		errs = append(errs, errors.New("AUDIT_LOG_RETENTION must be at least 720h"))
	}
	if _, err := config.Origin("SITE_ORIGIN", c.SiteOrigin); err != nil {
		errs = append(errs, err)
	}
	if _, _, err := net.SplitHostPort(c.HookAddr); err != nil {
		errs = append(errs, fmt.Errorf("HOOK_ADDR: %w", err))
	}
	if len(c.HookKey.Reveal()) < minHookKey {
		errs = append(errs, fmt.Errorf("HOOK_KEY: needs at least %d characters", minHookKey))
	}
	errs = append(errs, validateEncryptionKey(c.KeyEncryptionKey))
	for _, email := range c.BootstrapAdminEmails {
		if _, err := netmail.ParseAddress(strings.TrimSpace(email)); err != nil {
			errs = append(errs, fmt.Errorf("BOOTSTRAP_ADMIN_EMAILS: %q is not an address", email))
		}
	}
	return errors.Join(errs...)
}

func validateEncryptionKey(key config.Secret) error {
	if _, err := keyring.NewSealer(key); err != nil {
		return fmt.Errorf("KEY_ENCRYPTION_KEY: must be %d bytes in base64", keyring.EncryptionKeySize)
	}
	return nil
}

// Migrate brings the service's database up to date.
func (c Config) Migrate(ctx context.Context) error {
	return store.Migrate(ctx, c.Database.URL.Reveal())
}
