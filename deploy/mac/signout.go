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

// SignOut ends this Mac's session. The tokens are forgotten in any case.
func (c *Client) SignOut(ctx context.Context) error {
	if _, err := c.Credentials(); errors.Is(err, ErrSignedOut) {
		return nil
	} else if err != nil {
		return err // another site's: they are not ours to throw away
	}
	err := c.authorised(ctx, http.MethodPost, signOutPath, signOut{thisDevice}, nil)
	if err != nil && !errors.Is(err, ErrSignedOut) { // which is over already
		return errors.Join(fmt.Errorf("%w (%w)", ErrStillListed, err), c.store.forget())
	}
	return c.store.forget()
}

// SignOutEverywhere ends every session of the account: browsers and Macs. After a
// failure some of them may have ended and others not; the tokens stay, so that
// the person can try again.
func (c *Client) SignOutEverywhere(ctx context.Context) error {
	if err := c.authorised(ctx, http.MethodPost, signOutPath, signOut{allDevices}, nil); err != nil {
		return err
	}
	return c.store.forget()
}
