package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"fledge.dev/deploy/local/person"
)

// device is a Mac that is signed in and rotates its refresh token.
type device struct {
	site  string
	owner *person.Person

	mu    sync.Mutex
	token string
	// doubtful is a session of which an answer got lost. The product gives the same
	// successor again for ten seconds; a request that arrives later, held up on its way,
	// looks like theft and ends the session.
	doubtful bool
}

const (
	rotateFor = 7 * time.Second
	rotateTry = 3 * time.Second
)

const callback = "http://127.0.0.1:12345/auth/callback"

// begin hands the owner's sign-in over to the device.
func (d *device) begin(ctx context.Context) error {
	verifier := oauth2.GenerateVerifier()
	var handed struct {
		Code string `json:"code"`
	}
	err := d.owner.Call(ctx, http.MethodPost, "/api/auth/hand-off", map[string]string{
		"callback": callback, "code_challenge": oauth2.S256ChallengeFromVerifier(verifier), "code_challenge_method": "S256",
	}, &handed)
	if err != nil {
		return err
	}
	err = d.trade(ctx, map[string]string{
		"grant_type": "authorization_code", "code": handed.Code, "code_verifier": verifier, "redirect_uri": callback, "device_name": "A Mac",
	})
	if err == nil {
		d.doubtful = false
	}
	return err
}

func (d *device) trade(ctx context.Context, grant map[string]string) error {
	var session struct {
		RefreshToken string `json:"refresh_token"`
	}
	if err := person.New(d.site).Call(ctx, http.MethodPost, "/api/auth/token", grant, &session); err != nil {
		return err
	}
	d.token = session.RefreshToken
	return nil
}

// rotate trades the token for its successor, and again while the same one would come.
// A device that lost its session through no fault of the product's signs in again.
func (d *device) rotate(ctx context.Context) error {
	if !d.mu.TryLock() {
		return nil // it is at it
	}
	defer d.mu.Unlock()
	began := time.Now()
	for {
		once, cancel := context.WithTimeout(ctx, rotateTry)
		err := d.trade(once, map[string]string{"grant_type": "refresh_token", "refresh_token": d.token})
		cancel()
		if err == nil {
			return nil
		}
		var answer *person.APIError
		if errors.As(err, &answer) && answer.Status == http.StatusUnauthorized {
			if d.doubtful {
				return d.begin(ctx)
			}
			return fmt.Errorf("signed out while it held a good token: %w", err)
		}
		d.doubtful = true
		if time.Since(began) > rotateFor {
			return err
		}
		if err := wait(ctx, tryAgain); err != nil {
			return err
		}
	}
}
