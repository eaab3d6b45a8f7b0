package bus

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestOnlyTheTimeOfTheDeliveryIsLate, not that of a call within it.
func TestOnlyTheTimeOfTheDeliveryIsLate(t *testing.T) {
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	late := fmt.Errorf("handle: %w", context.DeadlineExceeded)
	if !isLate(over, late) || isLate(t.Context(), late) || isLate(over, errors.New("no good")) {
		t.Error("whose time is up is taken for another's")
	}
}
