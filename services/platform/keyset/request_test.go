package keyset_test

import (
	"math"
	"testing"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/keyset"
)

func TestAfter(t *testing.T) {
	if after, err := list.After(""); after != nil || err != nil {
		t.Errorf("the first page is after %+v, %v", after, err)
	}
	if after, err := list.After(list.Encode(place)); err != nil || *after != place {
		t.Errorf("%+v, %v", after, err)
	}
	if after, err := list.After(other.Encode(place)); after != nil || fault.Of(err).Reason != "invalid_cursor" {
		t.Errorf("another list's: %+v, %v", after, err)
	}
}

func TestLimit(t *testing.T) {
	for given, want := range map[int32]int{0: 50, 1: 1, 50: 50, 100: 100} {
		if got, err := keyset.Limit(given, 50, 100); err != nil || got != want {
			t.Errorf("%d is %d, %v", given, got, err)
		}
	}
	for _, wrong := range []int32{-1, 101, math.MinInt32, math.MaxInt32} {
		got, err := keyset.Limit(wrong, 50, 100)
		if f := fault.Of(err); got != 0 || f.Reason != "invalid_limit" || f.Message != "The limit must be between 1 and 100." {
			t.Errorf("%d is %d, %v", wrong, got, err)
		}
	}
}
