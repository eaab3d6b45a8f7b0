package mac

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

// order is a spend or a hold whose outcome is not known yet. It is stored together with
// its idempotency key before it is sent. After a lost response or a crash of the app,
// the same request is retried with the same key, so that the site executes it once.
type order struct {
	Site string `json:"site"`
	User string `json:"user"` // its id
	Path string `json:"path"`

	Amount      Amount `json:"amount"`
	Description string `json:"description"`
	Key         string `json:"idempotencyKey"`
}

var (
	// ErrUnsure is for a spend or hold whose answer got lost, for as long as the
	// app was willing to ask.
	ErrUnsure = errors.New("nobody knows yet whether the site has done this: do exactly the same again, which spends once at most")
	// errUnfinished is for another one than that.
	errUnfinished = errors.New("is still without an answer: do exactly that again first")
)

// place sends an order, one at a time in all processes of the app.
func (c *Client) place(ctx context.Context, wanted order, answer any) error {
	kept, err := c.Credentials()
	if err != nil {
		return err
	}
	wanted.Site, wanted.User = kept.Site, kept.User.ID
	unlock, err := c.store.lock(ctx, orderLock)
	if err != nil {
		return err
	}
	defer unlock()
	if now, err := c.Credentials(); err != nil {
		return err
	} else if now.User.ID != wanted.User { // whose own order must not be overwritten
		return ErrAnotherAccount
	}
	placed, unsure, err := c.decide(wanted)
	if err != nil {
		return err
	}
	body := struct {
		Amount      Amount `json:"amount"`
		Description string `json:"description"`
		Key         string `json:"idempotencyKey"`
	}{placed.Amount, placed.Description, placed.Key}
	err = retryWhileUnknown(ctx, func() error {
		err := c.authorisedAs(ctx, placed.User, http.MethodPost, placed.Path, body, answer)
		unsure = unsure || err != nil && outcomeUnknown(err)
		return err
	})
	if err != nil && unsure && !refusesKey(err) {
		return fmt.Errorf("%w (%w)", ErrUnsure, err)
	}
	return errors.Join(err, c.store.remove(orderFile))
}

// decide stores an order with a new idempotency key, or returns the stored one to retry.
// A stored order of another account or site is overwritten.
func (c *Client) decide(wanted order) (placed order, again bool, err error) {
	err = c.store.read(orderFile, &placed)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return order{}, false, err
	}
	if err != nil || placed.Site != wanted.Site || placed.User != wanted.User {
		wanted.Key = random()
		return wanted, false, c.store.write(orderFile, wanted)
	}
	wanted.Key = placed.Key
	if wanted != placed {
		return order{}, false, fmt.Errorf("%s credits for %q: this %w", placed.Amount, readable(placed.Description), errUnfinished)
	}
	return placed, true, nil
}

// refusesKey tells whether a refusal means that no attempt with this key was executed.
// Other refusals (signed out, too many requests) say nothing about earlier attempts.
func refusesKey(err error) bool {
	var problem *Problem
	return errors.As(err, &problem) && (problem.Status == http.StatusBadRequest || problem.Status == http.StatusConflict)
}

const (
	maxAttempts  = 5
	firstBackoff = 200 * time.Millisecond // doubles
)

// insist posts an idempotent request as the person who is signed in now, and retries it as the same while its
// outcome is unknown.
func (c *Client) insist(ctx context.Context, path string, body, answer any) error {
	kept, err := c.Credentials()
	if err != nil {
		return err
	}
	return retryWhileUnknown(ctx, func() error {
		return c.authorisedAs(ctx, kept.User.ID, http.MethodPost, path, body, answer)
	})
}

// retryWhileUnknown retries an idempotent request with backoff while its outcome is unknown.
func retryWhileUnknown(ctx context.Context, send func() error) error {
	pause := firstBackoff
	for try := 1; ; try++ {
		err := send()
		if err == nil || !outcomeUnknown(err) || try == maxAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause):
			pause *= 2
		}
	}
}
