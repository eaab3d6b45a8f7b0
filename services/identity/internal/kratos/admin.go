package kratos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	ory "github.com/ory/kratos-client-go"
)

// The credentials: those at the providers, and those that are a second factor, the app's and the recovery codes that stand
// in for it.
const (
	oidc   = "oidc"
	totp   = "totp"
	lookup = "lookup_secret"
)

// identity returns an identity as Kratos has it, with what some of its credentials are made of. It fails with ErrGone.
func (c *Client) identity(ctx context.Context, call caller, id uuid.UUID, secrets ...string) (*ory.Identity, error) {
	found, _, err := ask(ctx, call, "get_identity", func(ctx context.Context) (*ory.Identity, *http.Response, error) {
		return c.admin.IdentityAPI.GetIdentity(ctx, id.String()).IncludeCredential(secrets).Execute()
	})
	return found, err
}

// Providers returns every provider linked to an identity, sorted.
func (c *Client) Providers(ctx context.Context, identity uuid.UUID) ([]string, error) {
	found, err := c.identity(ctx, c.call, identity)
	if err != nil {
		return nil, err
	}
	return providersOf(found), nil
}

// ErrLastProvider means that the identity has no other provider to sign in with.
var ErrLastProvider = errors.New("kratos: last provider")

// Unlink removes a provider from an identity and returns those that are left. One that is not
// linked is no error. It fails with ErrLastProvider.
func (c *Client) Unlink(ctx context.Context, identity uuid.UUID, provider string) (left []string, err error) {
	found, err := c.identity(ctx, c.call, identity, oidc)
	if err != nil {
		return nil, err
	}
	left = slices.DeleteFunc(providersOf(found), func(p string) bool { return p == provider })
	if len(left) == 0 {
		return nil, ErrLastProvider
	}
	credentials := found.GetCredentials()[oidc]
	for _, identifier := range credentials.GetIdentifiers() {
		if !strings.HasPrefix(identifier, provider+":") {
			continue
		}
		if _, err := change(ctx, c.call, "unlink", func(ctx context.Context) (*http.Response, error) {
			return c.admin.IdentityAPI.DeleteIdentityCredentials(ctx, identity.String(), oidc).Identifier(identifier).Execute()
		}); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// ErrNoToken means that a provider is linked, but Kratos has no token of it. It says the same of a token that none of
// its cipher secrets opens.
var ErrNoToken = errors.New("kratos: no token of a linked provider")

// RefreshToken returns what a provider gave when an identity signed in with it for the first
// time, the only one that Kratos keeps; "" if it is not linked. It fails with ErrGone, and with ErrNoToken.
func (c *Client) RefreshToken(ctx context.Context, identity uuid.UUID, provider string) (string, error) {
	found, err := c.identity(ctx, c.aside, identity, oidc)
	if err != nil {
		return "", err
	}
	credentials := found.GetCredentials()[oidc]
	linked, _ := credentials.GetConfig()["providers"].([]any)
	for _, l := range linked {
		fields, _ := l.(map[string]any)
		if fields["provider"] == provider {
			token, _ := fields["initial_refresh_token"].(string)
			if token == "" {
				return "", ErrNoToken
			}
			return token, nil
		}
	}
	return "", nil
}

// SecondFactor reports whether an identity has an authenticator app, and recovery codes.
func (c *Client) SecondFactor(ctx context.Context, identity uuid.UUID) (app, codes bool, err error) {
	found, err := c.identity(ctx, c.call, identity)
	if err != nil {
		return false, false, err
	}
	credentials := found.GetCredentials()
	_, app = credentials[totp]
	_, codes = credentials[lookup]
	return app, codes, nil
}

// ErrNoSecondFactor means that the identity has none.
var ErrNoSecondFactor = errors.New("kratos: no second factor")

// RemoveSecondFactor removes an identity's second factor with its recovery codes. It fails with
// ErrNoSecondFactor when neither was there.
func (c *Client) RemoveSecondFactor(ctx context.Context, identity uuid.UUID) error {
	removed := false
	for _, credentials := range []string{lookup, totp} {
		found, err := change(ctx, c.call, "remove_second_factor", func(ctx context.Context) (*http.Response, error) {
			return c.admin.IdentityAPI.DeleteIdentityCredentials(ctx, identity.String(), credentials).Execute()
		})
		if err != nil {
			return err
		}
		removed = removed || found
	}
	if !removed {
		return ErrNoSecondFactor
	}
	return nil
}

// EndSession ends a session for good. Ending one that is over or gone succeeds.
func (c *Client) EndSession(ctx context.Context, session uuid.UUID) error {
	_, err := change(ctx, c.call, "end_session", func(ctx context.Context) (*http.Response, error) {
		return c.admin.IdentityAPI.DisableSession(ctx, session.String()).Execute()
	})
	return err
}

// EndSessions ends all sessions of an identity. An identity without any, or that
// is gone, has none left.
func (c *Client) EndSessions(ctx context.Context, identity uuid.UUID) error {
	_, err := change(ctx, c.call, "end_sessions", func(ctx context.Context) (*http.Response, error) {
		return c.admin.IdentityAPI.DeleteIdentitySessions(ctx, identity.String()).Execute()
	})
	return err
}

// sessionsPage is the most that Kratos lists at once.
const sessionsPage = 250

// EndSessionsBesides ends all sessions of an identity but some. It stops when ctx ends, and what it has ended
// stays so.
func (c *Client) EndSessionsBesides(ctx context.Context, identity uuid.UUID, kept []uuid.UUID) error {
	if len(kept) == 0 {
		return c.EndSessions(ctx, identity)
	}
	for {
		list, _, err := ask(ctx, c.call, "list_identity_sessions", func(ctx context.Context) ([]ory.Session, *http.Response, error) {
			return c.admin.IdentityAPI.ListIdentitySessions(ctx, identity.String()).Active(true).PageSize(sessionsPage).Execute()
		})
		if errors.Is(err, ErrGone) {
			return nil
		}
		if err != nil {
			return err
		}
		ended := 0
		for i := range list {
			id, err := uuid.Parse(list[i].GetId())
			switch {
			case err != nil:
				return nonsense("session id %q", list[i].GetId())
			case slices.Contains(kept, id):
				continue
			case ctx.Err() != nil:
				return errUnavailable.Wrap(ctx.Err())
			}
			if err := c.EndSession(ctx, id); err != nil {
				return err
			}
			ended++
		}
		// Those that have ended make room on the first page.
		if ended == 0 || len(list) < sessionsPage {
			return nil
		}
	}
}

// DeleteIdentity removes an identity with its credentials and sessions. One that is gone is
// no error.
func (c *Client) DeleteIdentity(ctx context.Context, identity uuid.UUID) error {
	_, err := change(ctx, c.aside, "delete_identity", func(ctx context.Context) (*http.Response, error) {
		return c.admin.IdentityAPI.DeleteIdentity(ctx, identity.String()).Execute()
	})
	return err
}

// ErrEmailTaken means that another identity has the address.
var ErrEmailTaken = errors.New("kratos: address of another identity")

// SetEmail gives an identity another address, which counts as verified at that time. It fails with
// ErrEmailTaken, and with ErrGone.
func (c *Client) SetEmail(ctx context.Context, identity uuid.UUID, email string, verifiedAt time.Time) error {
	patch := []ory.JsonPatch{
		{Op: "replace", Path: "/traits/email", Value: email},
		{Op: "replace", Path: "/verifiable_addresses", Value: []map[string]any{
			{"value": email, "via": "email", "verified": true, "verified_at": verifiedAt.UTC(), "status": "completed"},
		}},
	}
	var cause error
	status, err := c.call(ctx, "set_email", func(ctx context.Context) (resp *http.Response, _ error) {
		_, resp, cause = c.admin.IdentityAPI.PatchIdentity(ctx, identity.String()).JsonPatch(patch).Execute()
		return resp, cause
	})
	switch {
	case err != nil:
		return err
	case says(cause, status, http.StatusConflict):
		return ErrEmailTaken
	case says(cause, status, http.StatusNotFound):
		return ErrGone
	case status != http.StatusOK:
		return errUnavailable.Wrap(fmt.Errorf("set email: status %d", status))
	}
	return nil
}

// SetActive has Kratos refuse or admit the sign-ins of an identity. One that is gone is no error.
func (c *Client) SetActive(ctx context.Context, identity uuid.UUID, active bool) error {
	state := "inactive"
	if active {
		state = "active"
	}
	patch := ory.JsonPatch{Op: "replace", Path: "/state", Value: state}
	_, err := change(ctx, c.aside, "set_state", func(ctx context.Context) (*http.Response, error) {
		_, resp, err := c.admin.IdentityAPI.PatchIdentity(ctx, identity.String()).JsonPatch([]ory.JsonPatch{patch}).Execute()
		return resp, err
	})
	return err
}

// jsonPointer escapes the name of a field (RFC 6901).
var jsonPointer = strings.NewReplacer("~", "~0", "/", "~1")

// DropTraits removes traits of an identity. One that is gone is no error. Kratos 1.3.1 writes the whole identity back, and
// undoes with it what changed in those milliseconds.
func (c *Client) DropTraits(ctx context.Context, identity uuid.UUID, names []string) error {
	var patch []ory.JsonPatch
	for _, name := range names {
		patch = append(patch, ory.JsonPatch{Op: "remove", Path: "/traits/" + jsonPointer.Replace(name)})
	}
	_, err := change(ctx, c.aside, "drop_traits", func(ctx context.Context) (*http.Response, error) {
		_, resp, err := c.admin.IdentityAPI.PatchIdentity(ctx, identity.String()).JsonPatch(patch).Execute()
		return resp, err
	})
	return err
}
