package mac

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

// order is a spend or a hold from the moment it is decided on until it is known
// what became of it. It is kept with its key before it is sent: a lost answer, or
// a crash of the app, leaves it there, and asking for the same again sends the
// same key, which the site acts on once.
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
	placed, unsure, err := c.decide(wanted)
	if err != nil {
		return err
	}
	body := struct {
		Amount      Amount `json:"amount"`
		Description string `json:"description"`
		Key         string `json:"idempotencyKey"`
	}{placed.Amount, placed.Description, placed.Key}
	err = persist(ctx, func() error {
		err := c.authorised(ctx, http.MethodPost, placed.Path, body, answer)
		unsure = unsure || err != nil && mayHaveGotLost(err)
		return err
	})
	if err != nil && unsure && !refusesKey(err) {
		return fmt.Errorf("%w (%w)", ErrUnsure, err)
	}
	return errors.Join(err, c.store.remove(orderFile))
}

// decide keeps an order under a fresh key, or finds that it is the one whose
// outcome is not known. Somebody else's are nobody's any more.
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

// refusesKey tells of a refusal whether it means that the key was never acted on.
// Others (signed out, too many requests) say nothing of earlier tries.
func refusesKey(err error) bool {
	var problem *Problem
	return errors.As(err, &problem) && (problem.Status == http.StatusBadRequest || problem.Status == http.StatusConflict)
}

const (
	persistTries = 5
	persistPause = 200 * time.Millisecond // doubles
)

// persist repeats what is safe to repeat while its answers get lost.
func persist(ctx context.Context, send func() error) error {
	pause := persistPause
	for try := 1; ; try++ {
		err := send()
		if err == nil || !mayHaveGotLost(err) || try == persistTries {
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
