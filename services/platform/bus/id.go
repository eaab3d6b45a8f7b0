package bus

import (
	"fmt"

	"github.com/google/uuid"
)

// ID reads the id of an account in an event. An error is poison: the event never gets a better one.
func ID(s string) (uuid.UUID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return uuid.Nil, Poison(fmt.Errorf("bus: account: %w", err))
	}
	return id, nil
}
