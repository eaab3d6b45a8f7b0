package mac

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// ErrNoAttempt is for a link that nobody waits for: it was used already, or its
// sign-in was never started here.
var ErrNoAttempt = errors.New("no sign-in is waiting for this link: each link works once; start again")

// Await keeps a sign-in whose callback comes as the app's link. The app may have
// been quit until then: macOS starts it with the link. A newer sign-in takes the
// place of an older one.
func (c *Client) Await(ctx context.Context, attempt Attempt) error {
	unlock, err := c.store.lock(ctx, lockFile)
	if err != nil {
		return err
	}
	defer unlock()
	return c.store.write(attemptFile, attempt)
}

// Handle takes the link that macOS handed to the app, and completes the sign-in
// that waits for it.
func (c *Client) Handle(ctx context.Context, link string) (User, error) {
	attempt, answer, err := c.take(ctx, link)
	if err != nil {
		return User{}, err
	}
	return c.Complete(ctx, attempt, answer)
}

// take reads a link as the callback of the waiting sign-in. Once the link is that
// sign-in's, whatever it says, the sign-in waits no longer: a second link finds
// nothing. A link that is not leaves it waiting.
func (c *Client) take(ctx context.Context, link string) (Attempt, Answer, error) {
	unlock, err := c.store.lock(ctx, lockFile)
	if err != nil {
		return Attempt{}, Answer{}, err
	}
	defer unlock()
	var waiting Attempt
	if err := c.store.read(attemptFile, &waiting); errors.Is(err, fs.ErrNotExist) {
		return Attempt{}, Answer{}, ErrNoAttempt
	} else if err != nil {
		return Attempt{}, Answer{}, err
	}
	if waiting.Site != c.site.origin {
		return Attempt{}, Answer{}, fmt.Errorf("the sign-in that is waiting is for %s, not for %s", waiting.Site, c.site)
	}
	answer, err := waiting.Read(link, time.Now())
	if errors.Is(err, ErrForeignCallback) {
		return Attempt{}, Answer{}, err
	}
	return waiting, answer, errors.Join(err, c.store.remove(attemptFile))
}
