// Package mac is the reference of the Mac app's dealings with the site: its
// sign-in and its credits, as a program that runs anywhere.
// deploy/docs/mac-app.md describes the protocol.
//
// The app opens the site in the person's own browser (RFC 8252), gets a one-time
// code back on its link or on a loopback address, and trades the code for a
// session of its own with a secret that never left it (PKCE, RFC 7636). It keeps
// the session fresh, and ends it on request. What the person's work costs is spent
// exactly once, whatever gets lost on the way.
//
// Tokens go to the site's origin alone, no redirect is followed with them, and
// they are never printed.
package mac

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Client is one Mac that is, or wants to be, signed in at one site.
type Client struct {
	site   Site
	store  *Store
	device string
	http   *http.Client
	// files is for archives, which lie elsewhere: it follows redirects, and knows no token.
	files *http.Client
}

// Options describes a Client.
type Options struct {
	Site  Site
	Store *Store
	// DeviceName is how the person recognises this Mac in the list of their
	// devices, such as "Ann's MacBook". Cut at 64 characters; may be empty.
	DeviceName string
	// Transport replaces the network; nil is the real one.
	Transport http.RoundTripper
}

// New returns a client. It does nothing yet.
func New(opts Options) *Client {
	name := []rune(opts.DeviceName)
	return &Client{
		site: opts.Site, store: opts.Store, device: string(name[:min(len(name), maxDeviceName)]),
		http: &http.Client{
			Timeout:   callTimeout,
			Transport: onlyTo{site: opts.Site, next: opts.Transport},
			// A redirect would carry the request, and whom it speaks for, elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		files: &http.Client{Transport: opts.Transport},
	}
}

const (
	maxDeviceName = 64
	callTimeout   = 20 * time.Second
)

// Complete finishes a sign-in with what the callback brought, and returns who is
// signed in. A session that was there before is replaced and ended.
//
// A code is traded exactly once: a second try with the same one would look like
// theft and end the session that the first one made. After a failure the person
// starts again, which takes one click while the browser is signed in.
func (c *Client) Complete(ctx context.Context, attempt Attempt, answer Answer) (User, error) {
	fresh := answer.Session
	if answer.Code != "" {
		err := c.call(ctx, http.MethodPost, "/api/auth/token", "", codeGrant{
			GrantType: "authorization_code", Code: answer.Code, Verifier: attempt.Verifier,
			RedirectURI: attempt.Callback, DeviceName: c.device,
		}, &fresh)
		if err == nil {
			err = fresh.check()
		}
		if err != nil {
			return User{}, fmt.Errorf("the sign-in could not be completed: %w", err)
		}
	}
	if fresh.User.ID == "" { // tokens in a link do not say whose they are
		if err := c.call(ctx, http.MethodGet, "/api/auth/user", fresh.AccessToken, nil, &fresh.User); err != nil {
			return User{}, fmt.Errorf("the tokens of the link are no good: %w", err)
		}
	}
	old, err := c.replace(ctx, fresh)
	if err == nil {
		c.revoke(ctx, old)
	}
	return fresh.User, err
}

// replace keeps a new session and returns the one before it, if any.
func (c *Client) replace(ctx context.Context, fresh Session) (old Credentials, err error) {
	unlock, err := c.store.lock(ctx, lockFile)
	if err != nil {
		return Credentials{}, err
	}
	defer unlock()
	old, err = c.Credentials()
	if err != nil && !errors.Is(err, ErrSignedOut) {
		return Credentials{}, err
	}
	return old, c.store.save(fresh.credentials(c.site, time.Now()))
}

// revoke ends a session that is no longer kept, so that signing in again does not
// fill the list of devices with Macs that are this one. Nobody else has its
// tokens any more, so no lock is held. Best effort: what could not be told stays
// in the list.
func (c *Client) revoke(ctx context.Context, old Credentials) {
	if old.RefreshToken == "" {
		return // there was none
	}
	token := old.AccessToken
	if !old.fresh(time.Now(), refreshBelow) {
		renewed, err := c.refreshOnce(ctx, old.RefreshToken)
		if err != nil {
			return
		}
		token = renewed.AccessToken
	}
	_ = c.call(ctx, http.MethodPost, signOutPath, token, signOut{thisDevice}, nil)
}

// WhoAmI asks the site whose session this is.
func (c *Client) WhoAmI(ctx context.Context) (User, error) {
	var user User
	return user, c.authorised(ctx, http.MethodGet, "/api/auth/user", nil, &user)
}

// Devices lists where the person is signed in, the latest used first.
func (c *Client) Devices(ctx context.Context) ([]Device, error) {
	var list struct {
		Data []Device `json:"data"`
	}
	err := c.authorised(ctx, http.MethodGet, "/api/auth/devices", nil, &list)
	return list.Data, err
}

// authorised sends a request as the person. A token that is refused before its
// time is replaced once: the session behind it may have ended, which only a
// refresh tells for certain.
func (c *Client) authorised(ctx context.Context, method, path string, body, answer any) error {
	token, err := c.AccessToken(ctx)
	if err != nil {
		return err
	}
	err = c.call(ctx, method, path, token, body, answer)
	var problem *Problem
	if !errors.As(err, &problem) || problem.Status != http.StatusUnauthorized {
		return err
	}
	renewed, err := c.renew(ctx, func(have Credentials) bool { return have.AccessToken == token })
	if err != nil {
		return err
	}
	return c.call(ctx, method, path, renewed.AccessToken, body, answer)
}
