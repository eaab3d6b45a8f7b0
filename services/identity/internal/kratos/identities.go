package kratos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	ory "github.com/ory/kratos-client-go"

	"fledge.dev/services/platform/address"
)

// ErrGone means that Kratos itself has said that it knows no such identity or
// session. Any other kind of silence is Unavailable.
var ErrGone = errors.New("kratos: gone")

// MaxIDs is how many identities one call asks about. Kratos takes 500, but their
// ids go into the URL, which comes back in a header, and 8 KiB is what may stand
// between here and there.
const MaxIDs = 100

// Identity is what Kratos knows of a person.
type Identity struct {
	ID uuid.UUID
	// Active is false for a disabled account.
	Active bool
	// Email is the one verified address as package address spells it; "" when there is none.
	Email           string
	EmailVerifiedAt time.Time
	// Providers are all that are linked, sorted. Identities leaves them out.
	Providers []string
	// Surplus are the names of traits besides the address, which nothing reads.
	Surplus   []string
	CreatedAt time.Time
}

// Identity returns one identity, or ErrGone.
func (c *Client) Identity(ctx context.Context, id uuid.UUID) (Identity, error) {
	found, err := c.identity(ctx, c.aside, id)
	if err != nil {
		return Identity{}, err
	}
	if found == nil || found.GetId() != id.String() {
		return Identity{}, nonsense("asked for identity %s, got %s", id, found.GetId())
	}
	return toIdentity(found)
}

// Identities returns those of at most MaxIDs identities that Kratos lists. One
// that is missing need not be gone: only Identity tells.
func (c *Client) Identities(ctx context.Context, ids []uuid.UUID) ([]Identity, error) {
	if len(ids) == 0 {
		return nil, nil // no filter would be all there are
	}
	var texts []string
	for _, id := range ids {
		texts = append(texts, id.String())
	}
	// Without a page size Kratos would cut the answer at 250.
	list, _, err := ask(ctx, c.aside, "list_identities", func(ctx context.Context) ([]ory.Identity, *http.Response, error) {
		return c.admin.IdentityAPI.ListIdentities(ctx).Ids(texts).PageSize(int64(len(texts))).Execute()
	})
	if err != nil {
		return nil, err
	}
	found, err := toIdentities(list)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(found, func(f Identity) bool { return !slices.Contains(ids, f.ID) }); i >= 0 {
		return nil, nonsense("identity %s was not asked for", found[i].ID)
	}
	return found, nil
}

// ListIdentities returns the page of at most size identities that follows the
// token, "" for the first, in the order of their ids, and the next page's token,
// "" after the last.
func (c *Client) ListIdentities(ctx context.Context, token string, size int) (page []Identity, next string, err error) {
	list, next, err := ask(ctx, c.aside, "list_identities", func(ctx context.Context) ([]ory.Identity, *http.Response, error) {
		// Asking for a kind of credentials makes Kratos name those of every kind.
		// Nobody has this one, so nothing is deciphered for it.
		call := c.admin.IdentityAPI.ListIdentities(ctx).PageSize(int64(size)).IncludeCredential([]string{"totp"})
		if token != "" {
			call = call.PageToken(token)
		}
		return call.Execute()
	})
	if err != nil {
		return nil, "", err
	}
	if page, err = toIdentities(list); err != nil {
		return nil, "", err
	}
	if !slices.IsSortedFunc(page, func(a, b Identity) int { return bytes.Compare(a.ID[:], b.ID[:]) }) {
		return nil, "", nonsense("the identities are in no order")
	}
	return page, next, nil
}

// IdentityOf returns the identity to which a provider's account is linked, by its subject there, or ErrGone.
func (c *Client) IdentityOf(ctx context.Context, provider, subject string) (uuid.UUID, error) {
	list, _, err := ask(ctx, c.aside, "list_identities", func(ctx context.Context) ([]ory.Identity, *http.Response, error) {
		return c.admin.IdentityAPI.ListIdentities(ctx).CredentialsIdentifier(provider + ":" + subject).Execute()
	})
	switch {
	case err != nil:
		return uuid.Nil, err
	case len(list) == 0:
		return uuid.Nil, ErrGone
	}
	found, err := toIdentities(list)
	if err != nil {
		return uuid.Nil, err
	}
	if len(found) > 1 {
		return uuid.Nil, nonsense("%d identities have one subject of %s", len(found), provider)
	}
	return found[0].ID, nil
}

func toIdentities(list []ory.Identity) ([]Identity, error) {
	var out []Identity
	for i := range list {
		identity, err := toIdentity(&list[i])
		if err != nil {
			return nil, err
		}
		out = append(out, identity)
	}
	return out, nil
}

func toIdentity(in *ory.Identity) (Identity, error) {
	id, err := uuid.Parse(in.GetId())
	state := in.GetState()
	switch {
	case err != nil || id == uuid.Nil:
		return Identity{}, nonsense("identity id %q", in.GetId())
	case state != "active" && state != "inactive":
		return Identity{}, nonsense("identity %s is %q", id, state)
	case in.GetCreatedAt().IsZero():
		return Identity{}, nonsense("identity %s was never created", id)
	}
	out := Identity{ID: id, Active: state == "active", Providers: providersOf(in), CreatedAt: in.GetCreatedAt().UTC().Truncate(time.Microsecond)}
	out.Email, out.EmailVerifiedAt = verifiedEmail(in)
	out.Surplus = surplus(in)
	return out, nil
}

func surplus(in *ory.Identity) []string {
	traits, _ := in.GetTraits().(map[string]any)
	var names []string
	for name := range traits {
		if name != "email" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// verifiedEmail is the identity's address if it has exactly one, Kratos has seen a provider
// vouch for it, and it is the one of the traits: Kratos lower-cases the former by Unicode's
// rules.
func verifiedEmail(in *ory.Identity) (email string, at time.Time) {
	a := verifiedAddress(in.GetVerifiableAddresses())
	if a == nil {
		return "", time.Time{}
	}
	traits, _ := in.GetTraits().(map[string]any)
	given, _ := traits["email"].(string)
	email, ok := address.Same(a.GetValue(), given)
	if !ok {
		return "", time.Time{}
	}
	if at = a.GetVerifiedAt().UTC(); at.IsZero() {
		at = in.GetCreatedAt().UTC()
	}
	// The database keeps microseconds.
	return email, at.Truncate(time.Microsecond)
}

func providersOf(in *ory.Identity) []string {
	var providers []string
	credentials := in.GetCredentials()["oidc"]
	// Identifiers read "<provider>:<subject>".
	for _, identifier := range credentials.GetIdentifiers() {
		if provider, _, ok := strings.Cut(identifier, ":"); ok {
			providers = append(providers, provider)
		}
	}
	slices.Sort(providers)
	return slices.Compact(providers)
}

func nonsense(format string, args ...any) error {
	return errUnavailable.Wrap(fmt.Errorf(format, args...))
}
