package kratos

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"
	ory "github.com/ory/kratos-client-go"

	"fledge.dev/services/platform/export"
)

// ExportTables tell what Kratos alone keeps of a person.
func (c *Client) ExportTables() []export.Table {
	return []export.Table{
		{File: "sign-in-accounts", About: "Your accounts at Google and Apple as they name them to us: that is how we recognise you.", Read: rowsOf(c.signInAccounts)},
		{File: "second-factor", About: "Your authenticator app and recovery codes, without their secrets.", Read: rowsOf(c.secondFactors)},
		{File: "sign-ins", About: "Your sign-ins of the last 30 days, and where they came from.", Read: rowsOf(c.signInsOf)},
	}
}

// rowsOf reads a table at once, which an identity that is gone has no rows of.
func rowsOf(read func(context.Context, uuid.UUID) ([]map[string]any, error)) func(context.Context, export.Account, string) ([]export.Row, error) {
	return func(ctx context.Context, account export.Account, _ string) ([]export.Row, error) {
		list, err := read(ctx, account.ID)
		if err != nil && !errors.Is(err, ErrGone) {
			return nil, err
		}
		var rows [][]byte
		for _, fields := range list {
			row, err := json.Marshal(fields)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
		return export.Unkeyed(rows), nil
	}
}

func (c *Client) signInAccounts(ctx context.Context, id uuid.UUID) (rows []map[string]any, err error) {
	found, err := c.identity(ctx, c.call, id)
	if err != nil {
		return nil, err
	}
	credentials := found.GetCredentials()[oidc]
	for _, identifier := range credentials.GetIdentifiers() {
		provider, subject, _ := strings.Cut(identifier, ":")
		rows = append(rows, map[string]any{"provider": provider, "id": subject})
	}
	return rows, nil
}

func (c *Client) secondFactors(ctx context.Context, id uuid.UUID) (rows []map[string]any, err error) {
	found, err := c.identity(ctx, c.call, id)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{totp, lookup} {
		if credentials, has := found.GetCredentials()[kind]; has {
			rows = append(rows, map[string]any{"kind": kind, "created_at": credentials.GetCreatedAt()})
		}
	}
	return rows, nil
}

func (c *Client) signInsOf(ctx context.Context, id uuid.UUID) (rows []map[string]any, err error) {
	for token := ""; ; {
		list, next, err := ask(ctx, c.call, "list_identity_sessions", func(ctx context.Context) ([]ory.Session, *http.Response, error) {
			q := c.admin.IdentityAPI.ListIdentitySessions(ctx, id.String()).PageSize(sessionsPage)
			if token != "" {
				q = q.PageToken(token)
			}
			return q.Execute()
		})
		if err != nil {
			return nil, err
		}
		for i := range list {
			s := &list[i]
			rows = append(rows, map[string]any{
				"id": s.GetId(), "active": s.GetActive(), "signed_in_at": s.GetAuthenticatedAt(), "created_at": s.GetIssuedAt(), "expires_at": s.GetExpiresAt(),
				"assurance_level": s.GetAuthenticatorAssuranceLevel(), "devices": s.GetDevices(),
			})
		}
		if len(list) == 0 || next == "" || next == token {
			return rows, nil
		}
		token = next
	}
}
