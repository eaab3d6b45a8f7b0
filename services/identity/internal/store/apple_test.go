package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestReportsOnEmailsComeInAnyOrder(t *testing.T) {
	f := newFixture(t)
	const email = "relay@privaterelay.appleid.com"
	ann := f.person(email, 0)
	at := func(minute int) time.Time { return epoch.Add(time.Duration(minute) * time.Minute) }
	for _, step := range []struct {
		email  string
		off    bool
		minute int
		want   time.Time
	}{
		{email, true, 5, at(5)},
		{email, true, 5, at(5)},
		{email, false, 4, at(5)}, // came late
		{"ann@example.com", false, 6, at(5)},
		{email, false, 7, time.Time{}},
		{email, true, 5, time.Time{}}, // came again
		{email, true, 8, at(8)},
	} {
		if err := f.SetEmailOff(t.Context(), ann.ID, step.email, step.off, at(step.minute)); err != nil {
			t.Fatal(err)
		}
		found, err := f.Person(t.Context(), ann.ID.String())
		if err != nil || !found.User.EmailOffSince.Equal(step.want) {
			t.Errorf("after %+v: off since %s, %v", step, found.User.EmailOffSince, err)
		}
	}
	if err := f.SetEmailOff(t.Context(), uuid.New(), email, true, epoch); err != nil {
		t.Errorf("nobody: %v", err)
	}
}
