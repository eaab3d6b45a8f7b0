package bus

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"
)

func TestWhatIsNoAccountIDIsPoison(t *testing.T) {
	const id = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"
	if got, err := AccountID(id); err != nil || got != uuid.MustParse(id) {
		t.Errorf("%s is %s, %v", id, got, err)
	}
	for _, wrong := range []string{"", "ada", id[1:]} {
		if got, err := AccountID(wrong); got != uuid.Nil || !isPoison(err) {
			t.Errorf("%q is %s, %v", wrong, got, err)
		}
	}
}

// TestOnlyTheTimeOfTheDeliveryIsLate, not that of a call within it.
func TestOnlyTheTimeOfTheDeliveryIsLate(t *testing.T) {
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	late := fmt.Errorf("handle: %w", context.DeadlineExceeded)
	if !isLate(over, late) || isLate(t.Context(), late) || isLate(over, errors.New("no good")) {
		t.Error("whose time is up is taken for another's")
	}
}
