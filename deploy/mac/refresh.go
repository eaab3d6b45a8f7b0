package mac

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// refreshBelow is three ticks of 30 s, the site's own rule: a token with no
	// more left than this is replaced before it is used.
	refreshBelow = 90 * time.Second
	// retryFor is how long a refresh may take whose answer gets lost, from the
	// start of the first try to the end of the last. The site gives the same
	// successor again for 30 seconds after the first request; a repeat that
	// arrives later looks like theft and ends the session. Hence the reserve.
	retryFor       = 8 * time.Second
	retryPause     = 200 * time.Millisecond // doubles
	refreshTimeout = 3 * time.Second        // for one try
)

// ErrSignedOut is for a Mac that is not signed in: it never was, it signed out,
// or the site has ended its session. The person signs in again.
var ErrSignedOut = errors.New("not signed in")

// errEnded is an ErrSignedOut that the person did not bring about here.
type errEnded struct{}

func (errEnded) Error() string {
	return "this Mac has been signed out: the device was removed, all devices were signed out, or 30 days have passed; sign in again"
}

func (errEnded) Is(target error) bool { return target == ErrSignedOut }

// AccessToken returns a token that is good for another 90 seconds and more. It
// refreshes when it must; however many ask together, one of them does.
func (c *Client) AccessToken(ctx context.Context) (Secret, error) {
	have, err := c.usable(ctx)
	return have.AccessToken, err
}

// usable are the credentials with such a token.
func (c *Client) usable(ctx context.Context) (Credentials, error) {
	have, err := c.Credentials()
	if err == nil && !have.fresh(time.Now(), refreshBelow) {
		have, err = c.renew(ctx, func(now Credentials) bool { return !now.fresh(time.Now(), refreshBelow) })
	}
	return have, err
}

// Refresh replaces the tokens now, unless somebody else does at this moment.
func (c *Client) Refresh(ctx context.Context) error {
	seen, err := c.Credentials()
	if err != nil {
		return err
	}
	_, err = c.renew(ctx, func(now Credentials) bool { return now.RefreshToken == seen.RefreshToken })
	return err
}

// Credentials are what is kept, without a word to the site.
func (c *Client) Credentials() (Credentials, error) { return c.store.credentials(c.site) }

// renew refreshes the tokens, unless another goroutine or process of the app has done so
// while this one waited for the lock. Two requests with the same refresh token would be
// safe within the 30 seconds, and end the session after them.
func (c *Client) renew(ctx context.Context, due func(Credentials) bool) (Credentials, error) {
	unlock, err := c.store.lock(ctx, lockFile)
	if err != nil {
		return Credentials{}, err
	}
	defer unlock()
	have, err := c.Credentials()
	if err != nil || !due(have) {
		return have, err
	}
	fresh, err := c.refresh(ctx, have.RefreshToken)
	if sessionEnded(err) {
		// There is no way back to this session, and nothing worth keeping.
		return Credentials{}, errors.Join(errEnded{}, c.store.forget())
	}
	if err != nil {
		return Credentials{}, err // the tokens stay: a site that is down signs nobody out
	}
	renewed := fresh.credentials(c.site, time.Now())
	// Kept before they are used: a crash now loses them, a crash later must not.
	return renewed, c.store.save(renewed)
}

// refresh asks for the successor of a refresh token, again if the answer got
// lost.
func (c *Client) refresh(ctx context.Context, token Secret) (Session, error) {
	last := time.Now().Add(retryFor)
	within, cancel := context.WithDeadline(ctx, last)
	defer cancel()
	for pause := retryPause; ; pause *= 2 {
		fresh, err := c.refreshOnce(within, token)
		if err == nil || !outcomeUnknown(err) || time.Now().Add(pause).After(last) {
			return fresh, err
		}
		select {
		case <-ctx.Done():
			return Session{}, errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

func (c *Client) refreshOnce(ctx context.Context, token Secret) (Session, error) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	var fresh Session
	err := c.call(ctx, http.MethodPost, "/api/auth/token", "", refreshGrant{GrantType: "refresh_token", RefreshToken: token}, &fresh)
	if err == nil && fresh.check() != nil {
		err = errors.Join(ErrUnreachable, errAnswer)
	}
	return fresh, err
}

// sessionEnded tells of a refresh that failed whether it always will.
func sessionEnded(err error) bool {
	var problem *Problem
	return unauthorised(err) && errors.As(err, &problem) && problem.Code == "refresh_token_invalid"
}

// outcomeUnknown tells whether the site may have replaced the token without our
// hearing of it. An answer below 500 says what happened.
func outcomeUnknown(err error) bool {
	var problem *Problem
	if errors.As(err, &problem) {
		return problem.Status >= http.StatusInternalServerError
	}
	return errors.Is(err, ErrUnreachable)
}
