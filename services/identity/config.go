package identity

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/oauthclient"
	"fledge.dev/services/identity/internal/projection"
	"fledge.dev/services/identity/internal/provider"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/address"
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
	// Providers are checked daily, and Apple's notifications followed.
	Providers provider.Config
	// SiteOrigin is the site's public origin, the issuer of the tokens.
	SiteOrigin string `env:"SITE_ORIGIN"`
	// HookAddr takes Kratos' reports. Nobody but Kratos should reach it.
	HookAddr string `env:"HOOK_ADDR" envDefault:"127.0.0.1:0"`
	// HookKey is what Kratos shows there: one of a list.
	HookKey config.Secret `env:"HOOK_KEY"`
	// KeyEncryptionKey seals the service's keys in its database: 32 bytes in
	// base64, or a list of such with commas, the newest first. Losing it signs
	// everybody out.
	KeyEncryptionKey config.Secret `env:"KEY_ENCRYPTION_KEY"`
	// HandOffTokens allows sessions for Mac apps that send no PKCE challenge: their
	// tokens travel in the app's link, where another app might catch them.
	HandOffTokens bool `env:"HAND_OFF_TOKENS"`
	// OAuthClients are the servers of ours that spend people's credits, each with the hash of its secret, as
	// "identity oauth-client" prints them.
	OAuthClients config.Secret `env:"OAUTH_CLIENTS"`
	// DeletionGrace is how long the deletion of an account can be taken back, by signing in.
	DeletionGrace time.Duration `env:"DELETION_GRACE" envDefault:"168h"`
	// StaffSecondFactor says whether staff's methods need a second factor: "required" or "off".
	StaffSecondFactor string `env:"STAFF_SECOND_FACTOR" envDefault:"off"`
	// AuditLogRetention is how long entries of the audit log are kept, 30 days at least.
	AuditLogRetention time.Duration `env:"AUDIT_LOG_RETENTION" envDefault:"26280h"`
	// BootstrapAdminEmails get the admin role when they sign in, each address once.
	BootstrapAdminEmails []string `env:"BOOTSTRAP_ADMIN_EMAILS"`
}

const (
	minHookKey           = 32
	minAuditLogRetention = 30 * 24 * time.Hour
	// The values of StaffSecondFactor.
	secondFactorRequired = "required"
	secondFactorOff      = "off"
)

// Validate reports everything that is wrong, by variable.
func (c Config) Validate() error {
	errs := []error{c.Base.Validate(), c.RPC.Validate(), c.Database.Validate(), c.Bus.Validate(), c.Mail.Validate(), c.Kratos.Validate(), c.Keys.Validate(), c.Projection.Validate(), c.Providers.Validate()}
	if _, err := oauthclient.Parse(c.OAuthClients); err != nil {
		errs = append(errs, fmt.Errorf("OAUTH_CLIENTS %w", err))
	}
	if c.DeletionGrace < 0 {
		errs = append(errs, errors.New("DELETION_GRACE must not be negative"))
	}
	if c.StaffSecondFactor != secondFactorRequired && c.StaffSecondFactor != secondFactorOff {
		errs = append(errs, errors.New("STAFF_SECOND_FACTOR must be required or off"))
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
	if c.HookKey.Shorter(minHookKey) {
		errs = append(errs, fmt.Errorf("HOOK_KEY: needs at least %d characters", minHookKey))
	}
	errs = append(errs, validateEncryptionKey(c.KeyEncryptionKey))
	for _, email := range c.BootstrapAdminEmails {
		if _, err := address.Parse(email); err != nil {
			errs = append(errs, fmt.Errorf("BOOTSTRAP_ADMIN_EMAILS: %q is not an address", email))
		}
	}
	return errors.Join(errs...)
}

func validateEncryptionKey(key config.Secret) error {
	if _, err := keyring.NewSealer(key); err != nil {
		return fmt.Errorf("KEY_ENCRYPTION_KEY: must be %d bytes in base64, or a list of such with commas", keyring.EncryptionKeySize)
	}
	return nil
}

// Migrate brings the service's database up to date.
func (c Config) Migrate(ctx context.Context) error {
	return store.Migrate(ctx, c.Database.URL.Reveal())
}
