// Package identityclient is a client of the identity service for the other services: it fetches
// the keys that verify tokens, and asks whether an account may act. Among the platform's
// packages, it is the only one that calls a service.
package identityclient

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/expirable"
	"google.golang.org/grpc"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

const (
	cacheSize = 10_000
	// cacheFor is how old an answer about an account may be (contract: ≤ 5 s).
	cacheFor = 5 * time.Second
)

// Client answers from the identity service. It implements authn.AccessChecker,
// and JWKS is an authn.KeySource.
type Client struct {
	client identityv1.IdentityServiceClient
	cache  *expirable.LRU[actor, authn.Rights]
}

// actor is an account in one of its sessions.
type actor struct{ userID, sessionID string }

var _ authn.AccessChecker = (*Client)(nil)

// Config says where identity is and who issues the tokens.
type Config struct {
	// IdentityAddr is identity's gRPC target.
	IdentityAddr string `env:"IDENTITY_ADDR"`
	// SiteOrigin is the public origin of the site, the issuer of all tokens.
	SiteOrigin string `env:"SITE_ORIGIN"`
}

// Validate checks that both are set.
func (c Config) Validate() error {
	var errs []error
	if c.IdentityAddr == "" {
		errs = append(errs, errors.New("IDENTITY_ADDR is missing"))
	}
	if _, err := config.Origin("SITE_ORIGIN", c.SiteOrigin); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Connect returns a client and a verifier that takes its keys from there.
// Nothing is dialled before the first question.
func Connect(cfg Config, client rpc.ClientConfig, clk clock.Clock) (*Client, *authn.Verifier, error) {
	client.Service = "identity"
	conn, err := rpc.Dial(cfg.IdentityAddr, client)
	if err != nil {
		return nil, nil, err
	}
	identity := New(conn)
	return identity, authn.NewVerifier(cfg.SiteOrigin, authn.NewKeys(identity.JWKS, clk), clk), nil
}

// New returns a client over a connection made with the internal token.
func New(conn grpc.ClientConnInterface) *Client {
	return &Client{client: identityv1.NewIdentityServiceClient(conn), cache: expirable.NewLRU[actor, authn.Rights](cacheSize, nil, cacheFor)}
}

// CheckAccess returns what the person may do in this session.
func (c *Client) CheckAccess(ctx context.Context, p authn.Principal) (authn.Rights, error) {
	who := actor{p.UserID, p.SessionID}
	if rights, ok := c.cache.Get(who); ok {
		return rights, nil
	}
	rights, err := c.ask(ctx, p)
	// What a code of the person's can change in this very session is asked again.
	if err == nil && !rights.SecondFactorMissing {
		c.cache.Add(who, rights)
	}
	return rights, err
}

func (c *Client) ask(ctx context.Context, p authn.Principal) (authn.Rights, error) {
	resp, err := c.client.CheckAccess(ctx, &identityv1.CheckAccessRequest{UserId: p.UserID, SessionId: p.SessionID})
	if err != nil {
		return authn.Rights{}, err
	}
	return authn.Rights{
		SignedIn: resp.GetSignedIn(), Active: resp.GetActive(),
		Admin:        slices.Contains(resp.GetRoles(), identityv1.Role_ROLE_ADMIN),
		Moderator:    slices.Contains(resp.GetRoles(), identityv1.Role_ROLE_MODERATOR),
		StaffSession: resp.GetStaffSession(), Fresh: resp.GetFresh(),
		SecondFactorMissing: resp.GetSecondFactorMissing(),
	}, nil
}

// IsAdmin tells whether the account is an active admin, in whatever session.
func (c *Client) IsAdmin(ctx context.Context, account uuid.UUID) (bool, error) {
	rights, err := c.rightsOf(ctx, account)
	return rights.Active && rights.Admin, err
}

// IsActive tells whether the account is in use: known, not disabled, and not to be deleted.
func (c *Client) IsActive(ctx context.Context, account uuid.UUID) (bool, error) {
	rights, err := c.rightsOf(ctx, account)
	return rights.Active, err
}

// IsStaff tells whether the account is an active moderator or admin, as identity says just now.
func (c *Client) IsStaff(ctx context.Context, account uuid.UUID) (bool, error) {
	rights, err := c.ask(ctx, principalOf(account))
	return rights.Active && (rights.Admin || rights.Moderator), err
}

// rightsOf returns what the account may do in whatever session: those that are a session's are missing.
func (c *Client) rightsOf(ctx context.Context, account uuid.UUID) (authn.Rights, error) {
	return c.CheckAccess(ctx, principalOf(account))
}

func principalOf(account uuid.UUID) authn.Principal {
	return authn.Principal{UserID: account.String(), SessionID: uuid.Nil.String()}
}

// Addresses returns those of the accounts that are in use and whose emails arrive; at most 200 are
// asked for at once.
func (c *Client) Addresses(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return c.addresses(ctx, ids, false)
}

// addresses is Addresses, or has those to which emails do not arrive, too.
func (c *Client) addresses(ctx context.Context, ids []uuid.UUID, undelivered bool) (map[uuid.UUID]string, error) {
	req := &identityv1.ListAddressesRequest{UserIds: make([]string, len(ids)), Undelivered: undelivered}
	for i, id := range ids {
		req.UserIds[i] = id.String()
	}
	resp, err := c.client.ListAddresses(ctx, req)
	if err != nil {
		return nil, err
	}
	addresses := make(map[uuid.UUID]string, len(resp.GetAddresses()))
	for _, a := range resp.GetAddresses() {
		id, err := uuid.Parse(a.GetUserId())
		if err != nil {
			return nil, err
		}
		addresses[id] = a.GetEmail()
	}
	return addresses, nil
}

// AccountAt returns the account in use with the address, and the address as identity has it; ok is false for none.
func (c *Client) AccountAt(ctx context.Context, email string) (id uuid.UUID, address string, ok bool, err error) {
	resp, err := c.client.FindAccount(ctx, &identityv1.FindAccountRequest{Email: email})
	if err != nil || resp.GetAccount() == nil {
		return uuid.Nil, "", false, err
	}
	id, err = uuid.Parse(resp.GetAccount().GetUserId())
	return id, resp.GetAccount().GetEmail(), err == nil, err
}

// StaffAddresses returns those of Addresses whose accounts are moderators or admins.
func (c *Client) StaffAddresses(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	addresses, err := c.Addresses(ctx, ids)
	if err != nil {
		return nil, err
	}
	for id := range addresses {
		rights, err := c.rightsOf(ctx, id)
		if err != nil {
			return nil, err
		}
		if !rights.Active || !rights.Admin && !rights.Moderator {
			delete(addresses, id)
		}
	}
	return addresses, nil
}

// Forget drops what is remembered about an account, because it has changed.
func (c *Client) Forget(userID string) {
	for _, who := range c.cache.Keys() {
		if who.userID == userID {
			c.cache.Remove(who)
		}
	}
}

// Reset drops everything that is remembered, because changes may have been missed.
func (c *Client) Reset() { c.cache.Purge() }

// RolesChanged is the event that Watch listens to.
const RolesChanged = "fledge.identity.v1.user.roles_changed"

// Watch drops what is remembered about an account as soon as identity says that
// its roles have changed.
func (c *Client) Watch(conn *bus.Conn) service.Unit {
	return conn.Watch(bus.WatchSpec{
		Name: "roles", Type: RolesChanged,
		Handle: func(_ context.Context, ev bus.Event) { c.Forget(ev.Subject) },
		Reset:  c.Reset,
	})
}

// JWKS fetches the key set that verifies access tokens.
func (c *Client) JWKS(ctx context.Context) ([]byte, error) {
	resp, err := c.client.GetJWKS(ctx, &identityv1.GetJWKSRequest{})
	if err != nil {
		return nil, err
	}
	return resp.GetJwks(), nil
}
