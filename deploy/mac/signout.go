package mac

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

type scope string

const (
	thisDevice scope = "device"
	allDevices scope = "all"
)

const signOutPath = "/api/auth/sign-out"

// signOut is the body of POST /api/auth/sign-out.
type signOut struct {
	Scope scope `json:"scope"`
}

// ErrStillListed is for a sign-out of this Mac of which the site was not informed.
// The Mac has forgotten the tokens, nobody else has them; the device stays in the
// person's list until they remove it there or its 30 days are over.
var ErrStillListed = errors.New("this Mac has forgotten its session, but the site could not be informed: remove the device in the profile")

// SignOut forgets this Mac's session, and then ends it at the site. Somebody who signs in meanwhile stays so.
func (c *Client) SignOut(ctx context.Context) error {
	old, err := c.takeCredentials(ctx)
	if errors.Is(err, ErrSignedOut) {
		return nil
	}
	if err != nil {
		return err // also another site's: they are not ours to throw away
	}
	if err := c.end(ctx, old); err != nil {
		return fmt.Errorf("%w (%w)", ErrStillListed, err)
	}
	return nil
}

// takeCredentials forgets the credentials and returns them.
func (c *Client) takeCredentials(ctx context.Context) (Credentials, error) {
	unlock, err := c.store.lock(ctx, lockFile)
	if err != nil {
		return Credentials{}, err
	}
	defer unlock()
	kept, err := c.Credentials()
	if err != nil {
		return Credentials{}, err
	}
	return kept, c.store.forget()
}

// SignOutEverywhere ends every session of the account: browsers and Macs. After a
// failure some of them may have ended and others not; the tokens stay, so that
// the person can try again.
func (c *Client) SignOutEverywhere(ctx context.Context) error {
	kept, err := c.Credentials()
	if err != nil {
		return err
	}
	if err := c.authorisedAs(ctx, kept.User.ID, http.MethodPost, signOutPath, signOut{allDevices}, nil); err != nil {
		return err
	}
	return c.forget(ctx, kept.User.ID)
}

// forget deletes an account's credentials, unless another has signed in.
func (c *Client) forget(ctx context.Context, account string) error {
	unlock, err := c.store.lock(ctx, lockFile)
	if err != nil {
		return err
	}
	defer unlock()
	kept, err := c.Credentials()
	if errors.Is(err, ErrSignedOut) || err == nil && kept.User.ID != account {
		return nil
	}
	if err != nil {
		return err
	}
	return c.store.forget()
}
