package kratos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	ory "github.com/ory/kratos-client-go"
)

// Providers returns every provider linked to an identity, sorted.
func (c *Client) Providers(ctx context.Context, identity uuid.UUID) ([]string, error) {
	var found *ory.Identity
	status, err := c.call(ctx, "get_identity", func(ctx context.Context) (resp *http.Response, err error) {
		found, resp, err = c.admin.IdentityAPI.GetIdentity(ctx, identity.String()).Execute()
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK || found == nil {
		return nil, fmt.Errorf("kratos: identity %s: status %d", identity, status)
	}
	var providers []string
	credentials := found.GetCredentials()["oidc"]
	// Identifiers read "<provider>:<subject>".
	for _, identifier := range credentials.GetIdentifiers() {
		if provider, _, ok := strings.Cut(identifier, ":"); ok {
			providers = append(providers, provider)
		}
	}
	slices.Sort(providers)
	return slices.Compact(providers), nil
}

// EndSession ends a session for good. Ending one that is over or gone succeeds.
func (c *Client) EndSession(ctx context.Context, session uuid.UUID) error {
	status, err := c.call(ctx, "end_session", func(ctx context.Context) (*http.Response, error) {
		return c.admin.IdentityAPI.DisableSession(ctx, session.String()).Execute()
	})
	if err != nil {
		return err
	}
	if status != http.StatusNoContent && status != http.StatusNotFound && status != http.StatusOK {
		return errUnavailable.Wrap(fmt.Errorf("end session: status %d", status))
	}
	return nil
}

// EndSessions ends all sessions of an identity. An identity without any, or that
// is gone, has none left.
func (c *Client) EndSessions(ctx context.Context, identity uuid.UUID) error {
	status, err := c.call(ctx, "end_sessions", func(ctx context.Context) (*http.Response, error) {
		return c.admin.IdentityAPI.DeleteIdentitySessions(ctx, identity.String()).Execute()
	})
	if err != nil {
		return err
	}
	if status != http.StatusNoContent && status != http.StatusNotFound {
		return errUnavailable.Wrap(fmt.Errorf("end sessions: status %d", status))
	}
	return nil
}
