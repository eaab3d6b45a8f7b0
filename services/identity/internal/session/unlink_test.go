package session_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/session"
)

// consents counts the consents that were read, and ended.
type consents struct {
	read, ended int
	down        error
	within      bool // asked for no longer than the caller waits
}

func (c *consents) Consent(context.Context, uuid.UUID) (end func(context.Context), err error) {
	c.read++
	return func(ctx context.Context) {
		c.ended++
		until, bounded := ctx.Deadline()
		c.within = bounded && time.Until(until) <= 2*time.Second
	}, c.down
}

// TestWhoRemovesAppleEndsTheConsent once it is removed, and not before.
func TestWhoRemovesAppleEndsTheConsent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	caller := session.Caller{User: s.User.ID, Family: r.familyOf(s)}
	apple := r.apple
	apple.down = errors.New("Kratos is away")
	if _, err := r.Unlink(t.Context(), caller, "apple"); !errors.Is(err, apple.down) || apple.ended != 0 {
		t.Fatalf("%v, %d ended", err, apple.ended)
	}
	apple.down = nil
	if user, err := r.Unlink(t.Context(), caller, "apple"); err != nil || len(user.Identities) != 1 || apple.read != 2 || apple.ended != 1 || !apple.within {
		t.Errorf("%v, %v, %d read, %d ended", user.Identities, err, apple.read, apple.ended)
	}
}
