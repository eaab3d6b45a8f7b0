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
	if err == nil && old.RefreshToken != "" {
		// So that signing in again does not fill the list of devices with Macs that are this one. Best effort: what
		// could not be told stays in the list.
		_ = c.end(ctx, old)
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

// end ends a session that is not kept any more. Nobody else has its tokens, so no lock is held.
func (c *Client) end(ctx context.Context, old Credentials) error {
	if old.fresh(time.Now(), refreshBelow) {
		if err := c.call(ctx, http.MethodPost, signOutPath, old.AccessToken, signOut{thisDevice}, nil); !unauthorised(err) {
			return err
		}
	}
	renewed, err := c.refresh(ctx, old.RefreshToken)
	if sessionEnded(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, signOutPath, renewed.AccessToken, signOut{thisDevice}, nil)
}

// WhoAmI asks the site whose session this is.
func (c *Client) WhoAmI(ctx context.Context) (User, error) {
	var user User
	return user, c.get(ctx, "/api/auth/user", &user)
}

// Devices lists where the person is signed in, the latest used first.
func (c *Client) Devices(ctx context.Context) ([]Device, error) {
	var list struct {
		Data []Device `json:"data"`
	}
	err := c.get(ctx, "/api/auth/devices", &list)
	return list.Data, err
}

// ErrAnotherAccount is for a request of somebody who is not signed in any more because somebody else is.
var ErrAnotherAccount = errors.New("another account has signed in on this Mac meanwhile: nothing is done in its name")

// get asks as the person who is signed in.
func (c *Client) get(ctx context.Context, path string, answer any) error {
	kept, err := c.Credentials()
	if err != nil {
		return err
	}
	return c.authorisedAs(ctx, kept.User.ID, http.MethodGet, path, nil, answer)
}

// authorisedAs sends a request as one account. It fails with ErrAnotherAccount rather than in the name of
// another. A token that is refused before its time is replaced once: the session behind it may have ended,
// which only a refresh tells for certain.
func (c *Client) authorisedAs(ctx context.Context, account, method, path string, body, answer any) error {
	have, err := c.usable(ctx)
	if err != nil {
		return err
	}
	if have.User.ID != account {
		return ErrAnotherAccount
	}
	err = c.call(ctx, method, path, have.AccessToken, body, answer)
	if !unauthorised(err) {
		return err
	}
	renewed, err := c.renew(ctx, func(now Credentials) bool { return now.AccessToken == have.AccessToken })
	if err != nil {
		return err
	}
	if renewed.User.ID != account {
		return ErrAnotherAccount
	}
	return c.call(ctx, method, path, renewed.AccessToken, body, answer)
}
