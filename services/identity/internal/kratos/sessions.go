package kratos

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	ory "github.com/ory/kratos-client-go"
)

// SignIn is how a Kratos session began.
type SignIn struct {
	Identity uuid.UUID
	// Provider is "" where Kratos does not say.
	Provider string
	At       time.Time
}

// ActiveSessions returns the ids on the page of at most size active sessions
// that follows the token, newest first, and the next page's token. It may leave
// sessions out: Kratos rounds the place where a page begins. Ask SessionActive
// about a missing one. Sessions of inactive identities are on it too.
func (c *Client) ActiveSessions(ctx context.Context, token string, size int) (page []uuid.UUID, next string, err error) {
	list, next, err := c.sessions(ctx, token, size, func(q ory.IdentityAPIListSessionsRequest) ory.IdentityAPIListSessionsRequest { return q.Active(true) })
	if err != nil {
		return nil, "", err
	}
	for _, s := range list {
		id, err := uuid.Parse(s.GetId())
		if err != nil {
			return nil, "", nonsense("session id %q", s.GetId())
		}
		page = append(page, id)
	}
	return page, next, nil
}

// SignIns returns the page of at most size sessions, active or not, that
// follows the token, newest first, and the next page's token.
func (c *Client) SignIns(ctx context.Context, token string, size int) (page []SignIn, next string, err error) {
	list, next, err := c.sessions(ctx, token, size, func(q ory.IdentityAPIListSessionsRequest) ory.IdentityAPIListSessionsRequest {
		return q.Expand([]string{"identity"})
	})
	if err != nil {
		return nil, "", err
	}
	for i := range list {
		if list[i].Identity == nil {
			continue // deleted meanwhile
		}
		s, err := toSession(&list[i])
		if err != nil {
			return nil, "", err
		}
		page = append(page, SignIn{Identity: s.Identity, Provider: s.Provider, At: s.AuthenticatedAt})
	}
	return page, next, nil
}

func (c *Client) sessions(ctx context.Context, token string, size int,
	which func(ory.IdentityAPIListSessionsRequest) ory.IdentityAPIListSessionsRequest,
) (list []ory.Session, next string, err error) {
	return ask(ctx, c.aside, "list_sessions", func(ctx context.Context) ([]ory.Session, *http.Response, error) {
		q := which(c.admin.IdentityAPI.ListSessions(ctx)).PageSize(int64(size))
		if token != "" {
			q = q.PageToken(token)
		}
		return q.Execute()
	})
}

// SessionActive reports whether a session still opens anything. It fails with
// ErrGone when Kratos knows no such session.
func (c *Client) SessionActive(ctx context.Context, id uuid.UUID) (bool, error) {
	found, _, err := ask(ctx, c.aside, "get_session", func(ctx context.Context) (*ory.Session, *http.Response, error) {
		return c.admin.IdentityAPI.GetSession(ctx, id.String()).Execute()
	})
	switch {
	case err != nil:
		return false, err
	case found == nil || found.GetId() != id.String() || found.Active == nil:
		return false, nonsense("asked for session %s, got %s", id, found.GetId())
	}
	return found.GetActive(), nil
}
