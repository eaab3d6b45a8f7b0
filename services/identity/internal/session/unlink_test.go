package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/session"
)

// consents counts the consents that were read, and ended.
type consents struct {
	read, ended int
	down        error
}

func (c *consents) Consent(context.Context, uuid.UUID) (end func(context.Context), err error) {
	c.read++
	return func(context.Context) { c.ended++ }, c.down
}

// TestWhoRemovesAppleEndsTheConsent once it is removed, and not before.
func TestWhoRemovesAppleEndsTheConsent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	caller := session.Caller{User: s.User.ID, Family: r.familyOf(s)}
	apple := &consents{down: errors.New("Kratos is away")}
	service := r.WithApple(apple)
	if _, err := service.Unlink(t.Context(), caller, "apple"); !errors.Is(err, apple.down) || apple.ended != 0 {
		t.Fatalf("%v, %d ended", err, apple.ended)
	}
	apple.down = nil
	if user, err := service.Unlink(t.Context(), caller, "apple"); err != nil || len(user.Identities) != 1 || apple.read != 2 || apple.ended != 1 {
		t.Errorf("%v, %v, %d read, %d ended", user.Identities, err, apple.read, apple.ended)
	}
}
