package desktop

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

// ErrStillListed is for a sign-out of this Mac that the site did not hear of.
// The Mac has forgotten the tokens, nobody else has them; the device stays in the
// person's list until they remove it there or its 30 days are over.
var ErrStillListed = errors.New("this Mac has forgotten its session, but the site could not be told: remove the device in the profile")

// SignOut ends this Mac's session. The tokens are forgotten in any case.
func (c *Client) SignOut(ctx context.Context) error {
	if _, err := c.Credentials(); errors.Is(err, ErrSignedOut) {
		return nil
	} else if err != nil {
		return err // another site's: they are not ours to throw away
	}
	token, err := c.AccessToken(ctx)
	if err == nil {
		err = c.signOut(ctx, token, thisDevice)
	}
	if err != nil && !ended(err) {
		return errors.Join(fmt.Errorf("%w (%w)", ErrStillListed, err), c.store.forget())
	}
	return c.store.forget()
}

// SignOutEverywhere ends every session of the account: browsers and Macs. When
// the site cannot be told, nothing has happened and the tokens stay, so that the
// person can try again.
func (c *Client) SignOutEverywhere(ctx context.Context) error {
	token, err := c.AccessToken(ctx)
	if err != nil {
		return err
	}
	if err := c.signOut(ctx, token, allDevices); err != nil {
		return err
	}
	return c.store.forget()
}

// ended tells whether the site knows no such session any more.
func ended(err error) bool {
	var problem *Problem
	return errors.Is(err, ErrSignedOut) || errors.As(err, &problem) && problem.Status == http.StatusUnauthorized
}

func (c *Client) signOut(ctx context.Context, token Secret, which scope) error {
	body := struct {
		Scope scope `json:"scope"`
	}{which}
	return c.call(ctx, http.MethodPost, "/api/auth/sign-out", token, body, nil)
}
